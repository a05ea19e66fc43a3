package baseline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/floor"
	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse})
}

// engines returns one engine for each set of kernels that this machine runs, from scalar to the best.
func engines(t testing.TB) []*baseline.Engine {
	t.Helper()
	all := make([]*baseline.Engine, baseline.Levels())
	for level := range all {
		all[level] = baseline.NewOf(level)
		t.Cleanup(func() { require.NoError(t, all[level].Close()) })
	}
	return all
}

// picked returns the files of the shared media and of the project's tests that match a pattern.
func picked(t testing.TB, patterns ...string) []string {
	t.Helper()
	var files []string
	for _, pattern := range patterns {
		some, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, some...)
	}
	return files
}

// files returns all available JPEG files.
func files(t testing.TB) []string {
	t.Helper()
	return picked(t, "../testdata/*.jpg", "../../../testdata/*/*.jpg", "../../../testdata/*/*/*.jpg",
		"../../../../shared/media/*/*.jpg", "../../../../shared/media/*/*/*.jpg", "../../../../shared/media/*/*.jpeg")
}

func enter(t testing.TB) *call.Call {
	t.Helper()
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	t.Cleanup(c.Leave)
	return c
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return data
}

// comparison holds memory that comparisons reuse.
type comparison struct{ ours, theirs, scratch []byte }

func sized(b *[]byte, n int) []byte {
	if cap(*b) < n {
		*b = make([]byte, n)
	}
	return (*b)[:n]
}

// planes decodes with libjpeg-turbo and some engines. It describes where engines differ from it, or from each other in
// what they decline. A reason is no difference.
func (m *comparison) planes(t testing.TB, c *call.Call, data []byte, engines ...*baseline.Engine) (baseline.Reason,
	string) {
	t.Helper()
	l, reason := baseline.ReadLayout(data)
	if reason != baseline.Decoded {
		return reason, ""
	}
	ours := sized(&m.ours, l.Bytes())
	theirs, compared := sized(&m.theirs, len(ours)), false
	for i, e := range engines {
		now, err := e.Planes(c, data, ours)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && now != reason {
			return now, fmt.Sprintf("engine %d says %s, the ones before %s", i, now, reason)
		}
		if reason = now; reason != baseline.Decoded {
			continue
		}
		if !compared {
			if err := floor.JPEGPlanes(data, theirs); err != nil {
				return reason, "libjpeg-turbo refuses the file, or warns"
			}
			compared = true
		}
		if difference := firstDifference(&l, ours, theirs); difference != "" {
			return reason, fmt.Sprintf("engine %d: %s", i, difference)
		}
	}
	return reason, ""
}
