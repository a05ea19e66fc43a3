package mutate

import (
	"os"
	"path/filepath"
	"testing"
)

// Files reads the files that match patterns and have fewer than most bytes: small files find as many bugs, and sooner.
// Each pattern must match.
func Files(t testing.TB, most int, patterns ...string) (all [][]byte) {
	t.Helper()
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("no files %s: %v", pattern, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(data) < most {
				all = append(all, data)
			}
		}
	}
	return all
}
