package baseline_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/need"
)

// built builds a program of testdata with the kernels of an architecture, and returns its path.
func built(t testing.TB, name, arch string, compiler ...string) string {
	t.Helper()
	need.Command(t, compiler[0])
	program := filepath.Join(t.TempDir(), name)
	args := slices.Concat(compiler[1:],
		[]string{"-O3", "-Wall", "-Wextra", "-Werror", "-I.", "-I../../kernel", "-I../../call", "-o", program},
		[]string{"testdata/" + name + ".c", "dispatch.c", "idct.c", "scaled.c", "color.c"},
		picked(t, "idct_*_"+arch+".c", "scaled_*_"+arch+".c", "color_*_"+arch+".c"))
	out, err := exec.Command(compiler[0], args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

// The kernels of each level give the same results as the scalar ones, and decline the same blocks.
func TestLevels(t *testing.T) {
	if testing.Short() {
		t.Skip("compilers take seconds; the tests that compare engines with libjpeg-turbo have the kernels of all levels")
	}
	for name, compiler := range map[string][]string{
		"gcc": {"gcc"}, "clang": {"clang"},
		// To detect use after return, GCC 14 keeps stack frames, in which AVX-512 vectors are not aligned to 64 bytes.
		"sanitized": {"gcc", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
			"--param=asan-use-after-return=0"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := exec.Command(built(t, "levels", runtime.GOARCH, compiler...)).CombinedOutput()
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
	out, err := exec.Command(emulator, built(t, "levels", "arm64", "aarch64-linux-gnu-gcc", "-static")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
}

// BenchmarkKernels measures each kernel at each level, in nanoseconds for a block or a pixel.
func BenchmarkKernels(b *testing.B) {
	program := built(b, "speed", runtime.GOARCH, "gcc")
	var out []byte
	for b.Loop() {
		var err error
		out, err = exec.Command(program).CombinedOutput()
		require.NoError(b, err, "%s", out)
	}
	for line := range strings.Lines(string(out)) {
		var kernel, level string
		var ns float64
		_, err := fmt.Sscan(line, &kernel, &level, &ns)
		require.NoError(b, err, line)
		b.ReportMetric(ns, kernel+"/"+level+"-ns")
	}
	b.ReportMetric(0, "ns/op")
}
