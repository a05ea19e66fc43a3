package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

// What a user reads after a likely mistake: testdata/mistakes.txt has the calls, each with its exit code and what is on
// stderr. Wrong calls print nothing else. They have all of their problems, before any file is opened.
func TestMistakes(t *testing.T) {
	transcript, err := os.ReadFile("testdata/mistakes.txt")
	require.NoError(t, err)
	photo, err := os.ReadFile(clitest.Photo)
	require.NoError(t, err)
	media, err := filepath.Abs(clitest.Media)
	require.NoError(t, err)
	for _, name := range []string{"RANK", "WORLD_SIZE"} {
		t.Setenv(name, "") // restores it
		require.NoError(t, os.Unsetenv(name))
	}
	t.Chdir(t.TempDir())
	for _, name := range []string{"photos", "empty"} {
		require.NoError(t, os.Mkdir(name, 0o755))
	}
	for name, content := range map[string][]byte{"photos/0.jpg": photo, "photos/1.jpg": photo, "photos/2.jpg": photo,
		"photo.jpg": photo,
		"text.jpg":  []byte(strings.Repeat("no image", 10)), "empty.jpg": nil, "cut.jpg": photo[:9000],
		"table.csv": []byte("path,width\nphoto.jpg,300\n")} {
		require.NoError(t, os.WriteFile(name, content, 0o600))
	}
	require.NoError(t, os.Symlink(filepath.Join(media, "video/vfr.mp4"), "clip.mp4"))
	require.NoError(t, os.Symlink(filepath.Join(media, "audio/s16.wav"), "sound.wav"))

	calls := strings.Split(strings.TrimSpace(string(transcript)), "\n\n")
	require.Greater(t, len(calls), 60)
	for _, want := range calls {
		call, _, _ := strings.Cut(want, "\n")
		t.Run(call, func(t *testing.T) {
			o := tool.Run(strings.Fields(call)[2:]...)
			assert.Equal(t, want, strings.TrimSpace(fmt.Sprintf("%s\nexit %d\n%s", call, o.Code, o.Stderr)))
			if o.Code == cli.ExitUsage {
				assert.Empty(t, o.Stdout)
			}
		})
	}
}
