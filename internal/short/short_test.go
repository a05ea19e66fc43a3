package short

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestModes runs this test binary again in each mode.
func TestModes(t *testing.T) {
	const mode = "SHORT_CHILD"
	cases := []int{1, 2, 3, 4, 5, 6, 7}
	switch os.Getenv(mode) {
	case "false":
		assert.Equal(t, "whole", Of("whole", "few"))
		assert.Equal(t, cases, Some(cases, 3))
	case "true":
		assert.Equal(t, "few", Of("whole", "few"))
		assert.Equal(t, []int{1, 4, 7}, Some(cases, 3))
		assert.Equal(t, cases[:1], Some(cases, 100))
		assert.Empty(t, Some(cases[:0], 3))
	default:
		for _, short := range []string{"false", "true"} {
			child := exec.Command(os.Args[0], "-test.run=^TestModes$", "-test.short="+short)
			child.Env = append(os.Environ(), mode+"="+short)
			out, err := child.CombinedOutput()
			require.NoError(t, err, "%s", out)
		}
	}
}
