package baseline_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/need"
)

// levels builds testdata/levels.c with the kernels of an architecture and gives the program's path.
func levels(t *testing.T, arch string, compiler ...string) string {
	t.Helper()
	need.Command(t, compiler[0])
	program := filepath.Join(t.TempDir(), "levels")
	args := slices.Concat(compiler[1:],
		[]string{"-O3", "-Wall", "-Wextra", "-Werror", "-I.", "-I../../kernel", "-I../../call", "-o", program},
		[]string{"testdata/levels.c", "dispatch.c", "idct.c", "scaled.c", "color.c"},
		picked(t, "idct_*_"+arch+".c", "scaled_*_"+arch+".c", "color_*_"+arch+".c"))
	out, err := exec.Command(compiler[0], args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

// The kernels of each level make the same of blocks and rows as the scalar ones, and step aside from the same blocks.
func TestLevels(t *testing.T) {
	for name, compiler := range map[string][]string{
		"gcc": {"gcc"}, "clang": {"clang"},
		// GCC 14 keeps frames for a while to find their use after return, where AVX-512's are not aligned to 64 bytes.
		"sanitized": {"gcc", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "--param=asan-use-after-return=0"},
	} {
		if testing.Short() && name != "gcc" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			out, err := exec.Command(levels(t, runtime.GOARCH, compiler...)).CombinedOutput()
			require.NoError(t, err, "%s", out)
			t.Logf("%s", out)
		})
	}
}

// NEON's, run by an emulator.
func TestEmulatedARM64(t *testing.T) {
	if runtime.GOARCH == "arm64" || os.Getenv("SPOOL_EMULATED") == "" {
		t.Skip("for other machines, and for make test-arm64")
	}
	emulator := need.Command(t, "qemu-aarch64")
	out, err := exec.Command(emulator, levels(t, "arm64", "aarch64-linux-gnu-gcc", "-static")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
}
