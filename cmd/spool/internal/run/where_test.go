package run

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/tally"
)

// A filter of rows gives the batches of a table that has only these rows, for all media and formats of tables.
func TestRunWhere(t *testing.T) {
	for _, c := range []struct {
		kind  string
		files []string
		flags []string
	}{
		{"images", []string{"photos/animal/00.jpg", "photos/animal/01.jpg", "photos/space/00.jpg", "hard/good/s420.jpg",
			"hard/good/rgb.bmp"}, []string{"--size", "16", "--train"}},
		{"video", []string{"video/bframes.mp4", "video/vfr.mp4", "video/av1.mkv"},
			[]string{"--size", "16", "--frames", "2"}},
		{"audio", []string{"audio/mp3.mp3", "audio/s16.wav", "audio/flac.flac", "audio/opus.opus"},
			[]string{"--duration", "0.1"}},
		{"records", []string{"photos/animal/00.jpg", "photos/animal/01.jpg", "photos/space/00.jpg"},
			[]string{"--field", "image=image:path,size=16,train=true", "--columns", "n"}},
	} {
		t.Run(c.kind, func(t *testing.T) {
			folder := t.TempDir()
			var whole, some strings.Builder
			for i := range 4 * len(c.files) {
				path, err := filepath.Abs(filepath.Join(clitest.Media, c.files[i%len(c.files)]))
				require.NoError(t, err)
				row, err := json.Marshal(map[string]any{"path": path, "n": i, "split": []string{"train", "val"}[i%2]})
				require.NoError(t, err)
				whole.WriteString(string(row) + "\n")
				if i%2 == 0 && i >= 3 {
					some.WriteString(string(row) + "\n")
				}
			}
			run := func(name, text string, flags ...string) ([]string, tally.Tally) {
				path := filepath.Join(folder, name)
				require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
				args := append([]string{c.kind, path, "--batch", "3", "--shuffle", "--ignore-columns", "*"}, c.flags...)
				return digested(t, append(args, flags...)...)
			}
			want, _ := run("some.jsonl", some.String())
			where := []string{"--where", "split == 'train' and n >= 3", "--workers", "3"}
			got, s := run("whole.jsonl", whole.String(), where...)
			assert.Equal(t, want, got)
			assert.Equal(t, 4*len(c.files)-strings.Count(some.String(), "\n"), s.LeftOut)
		})
	}
}
