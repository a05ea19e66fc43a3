package resample_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/internal/need"
)

// TestEmulatedARM64 builds the tests of the kernels for arm64, NEON included, and runs them in an emulator. It runs
// without swresample, which is not available for arm64 here.
func TestEmulatedARM64(t *testing.T) {
	compiler, emulator := need.ARM64(t)

	binary := filepath.Join(t.TempDir(), "resample.test")
	build := exec.Command("go", "test", "-c", "-tags", "nofloor", "-o", binary, ".")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=1", "CC="+compiler, "GOFLAGS=")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	run := exec.Command(emulator, "-L", "/usr/aarch64-linux-gnu", binary, "-test.run", "Model|Digest|SIMD")
	out, err = run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
}

// The build uses the kernels of an instruction set that it supports.
func TestSIMD(t *testing.T) {
	want := map[string][]string{"amd64": {"avx2", "sse4.1", "scalar"}, "arm64": {"neon"}}[runtime.GOARCH]
	if want == nil {
		want = []string{"scalar"}
	}
	require.Contains(t, want, resample.SIMD())
}
