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

// levels builds testdata/levels.c with the kernels of an architecture, and returns the program's path.
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

// The kernels of each level give the same results as the scalar ones, and decline the same blocks.
func TestLevels(t *testing.T) {
	for name, compiler := range map[string][]string{
		"gcc": {"gcc"}, "clang": {"clang"},
		// To detect use after return, GCC 14 keeps stack frames, in which AVX-512 vectors are not aligned to 64 bytes.
		"sanitized": {"gcc", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
			"--param=asan-use-after-return=0"},
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

// NEON kernels, in an emulator.
func TestEmulatedARM64(t *testing.T) {
	if runtime.GOARCH == "arm64" || os.Getenv("SPOOL_EMULATED") == "" {
		t.Skip("for other machines, and for make test-arm64")
	}
	emulator := need.Command(t, "qemu-aarch64")
	out, err := exec.Command(emulator, levels(t, "arm64", "aarch64-linux-gnu-gcc", "-static")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
}
