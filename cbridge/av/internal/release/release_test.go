package release

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// TestReleases compiles a copy of the package with libavcodecs of other releases. Not the package itself: go build does
// not compile it again when only the library has changed.
func TestReleases(t *testing.T) {
	source, err := os.ReadFile("release.go")
	require.NoError(t, err)
	const wrong, hint = `spool needs FFmpeg 5.1 or 7.1, this is `,
		`: https://github.com/spoolmedia/spool/blob/main/docs/go.md"`
	for _, c := range []struct {
		name         string
		major, minor int
		refused      string
	}{
		{"4.4", 58, 134, "5.0 or older"},
		{"5.0", 59, 18, "5.0 or older"},
		{"5.1", 59, 37, ""},
		{"6.1", 60, 31, "6"},
		{"7.0", 61, 3, "7.0"},
		{"7.1", 61, 19, ""},
		{"8.0", 62, 11, "8 or later"},
		{"9.0", 63, 1, "8 or later"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			for name, text := range map[string]string{
				"go.mod":     "module release\n\ngo 1.26.0\n",
				"release.go": string(source),
				"libavcodec/version.h": fmt.Sprintf("#include <libavutil/version.h>\n"+
					"#define LIBAVCODEC_VERSION_INT AV_VERSION_INT(%d, %d, 100)\n", c.major, c.minor),
				"libavcodec.pc": fmt.Sprintf("Name: libavcodec\nDescription: a fake\nVersion: %d.%d.100\n"+
					"Cflags: -I${pcfiledir}\n", c.major, c.minor),
			} {
				file := filepath.Join(folder, name)
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
				require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
			}
			build := exec.Command("go", "build", ".")
			build.Dir = folder
			build.Env = append(os.Environ(), "PKG_CONFIG_PATH="+folder, "GOFLAGS=-buildvcs=false")
			output, err := build.CombinedOutput()
			if c.refused == "" {
				assert.NoError(t, err, "%s", output)
				return
			}
			assert.Error(t, err)
			assert.Contains(t, string(output), wrong+c.refused+hint)
		})
	}
}
