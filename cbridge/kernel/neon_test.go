package kernel_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/need"
)

// TestEmulatedARM64 builds the tests of the kernels for arm64, NEON included, and runs them in an emulator.
func TestEmulatedARM64(t *testing.T) {
	compiler, emulator := need.ARM64(t)

	binary := filepath.Join(t.TempDir(), "kernel.test")
	build := exec.Command("go", "test", "-c", "-o", binary, ".")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=1", "CC="+compiler, "GOFLAGS=")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	run := exec.Command(emulator, "-L", "/usr/aarch64-linux-gnu", binary, "-test.short", "-test.run",
		"Model|Resize|Huge|Fence|Planes|Video|SIMD")
	out, err = run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
}

// The build uses the kernels of an instruction set that it supports.
func TestSIMD(t *testing.T) {
	want := map[string][]string{"amd64": {"avx512-vnni", "avx2", "sse4.1", "scalar"}, "arm64": {"neon"}}[runtime.GOARCH]
	if want == nil {
		want = []string{"scalar"}
	}
	require.Contains(t, want, kernel.SIMD())
}
