package claims

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// findings reads the tables of docs/security.md, and returns the evidence of each row: its last column.
func findings(text string) (rows [][]string) {
	for line := range strings.Lines(text) {
		line, row := strings.CutPrefix(strings.TrimSpace(line), "| ")
		line = strings.TrimRight(line, "| ")
		if !row || strings.Trim(line, "|-: ") == "" || strings.HasSuffix(line, "| held by") {
			continue
		}
		rows = append(rows, strings.Split(line[strings.LastIndex(line, " | ")+3:], ", "))
	}
	return rows
}

// TestFindings checks that the evidence of each finding exists, and that each input that a fuzzer found is a finding.
func TestFindings(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/security.md"))
	require.NoError(t, err)
	listed := map[string]bool{}
	rows := findings(string(text))
	require.Greater(t, len(rows), 40)
	for _, evidence := range rows {
		for _, e := range evidence {
			require.NoError(t, checkEvidence(root, e))
			listed[e] = true
		}
	}
	seed := regexp.MustCompile(`/testdata/fuzz/Fuzz\w+/[^/]+$`)
	found := 0
	for _, folder := range folders(t) {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && seed.MatchString(path) {
				name, _ := filepath.Rel(root, path)
				assert.True(t, listed[name], "docs/security.md does not say what %s found", name)
				found++
			}
			return err
		}))
	}
	assert.Positive(t, found)
}

// folders are the folders of the repository with Go packages: not those of builds and environments.
func folders(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "bin" && e.Name() != "python" {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestFindingsOfAPage(t *testing.T) {
	assert.Equal(t, [][]string{{"a_test.go:TestA", "b"}, {"c"}}, findings("# Page\n\nText | bar.\n\n"+
		"| where | held by |\n|---|---|\n| x | a_test.go:TestA, b |\n| y | c |\n"))
}
