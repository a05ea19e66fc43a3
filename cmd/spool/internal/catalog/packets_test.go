package catalog

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/jsonname"
	"github.com/spoolmedia/spool/internal/need"
)

// The list of packets is ffprobe's.
func TestPackets(t *testing.T) {
	need.Command(t, "ffprobe")
	file := clitest.Media + "/video/bframes.mp4"
	out, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-of", "json", "-show_packets",
		"-select_streams", "v", file).Output()
	require.NoError(t, err)
	var want struct {
		Packets []struct {
			PTS, DTS, Duration int64
			Size               int32 `json:",string"`
			Flags              string
		}
	}
	require.NoError(t, json.Unmarshal(out, &want))
	lines := strings.Split(strings.TrimSpace(tool.Done(t, "packets", file, "--json")), "\n")
	require.Len(t, lines, len(want.Packets))
	for i, text := range lines {
		var line packetLine
		require.NoError(t, json.Unmarshal([]byte(text), &line))
		w := want.Packets[i]
		assert.Equal(t, packetLine{File: jsonname.Name(file), PTS: &w.PTS, DTS: &w.DTS, Duration: w.Duration, Size: w.Size,
			TimeBase: line.TimeBase, Key: w.Flags[0] == 'K'}, line)
	}
	few := tool.Done(t, "packets", file, "--end", "0.5", "--json")
	assert.Less(t, strings.Count(few, "\n"), len(lines))
	assert.Contains(t, tool.Done(t, "packets", file), "h264, ")
	assert.Contains(t, tool.Done(t, "packets", "--medium", "audio", clitest.Media+"/audio/aac.m4a"), "aac, ")
}

// The streams of a new file have the payloads that ffmpeg reads from the old ones.
func TestPacketsToAFile(t *testing.T) {
	need.Command(t, "ffmpeg")
	file, out := clitest.Media+"/video/bframes.mp4", filepath.Join(t.TempDir(), "raw")
	assert.Empty(t, tool.Done(t, "packets", file, "--bsf", "h264_mp4toannexb", "--out", out, "--format", "h264"))
	want, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", file, "-c", "copy", "-f", "h264", "-").
		Output()
	require.NoError(t, err)
	got, err := os.ReadFile(out)
	require.NoError(t, err)
	assert.Equal(t, want, got)

	for _, args := range [][]string{{"packets"}, {"packets", file, "--json", "--out", out},
		{"packets", file, "--format", "mp4"}, {"packets", file, "--start", "2", "--end", "1"},
		{"packets", file, "--medium", "text"}, {"packets", file, "--bsf", "no_such"}} {
		assert.Equal(t, cli.ExitUsage, tool.Run(args...).Code, args)
	}
	o := tool.Run("packets", "missing.mp4", file)
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Contains(t, o.Stderr, "not-found")
	assert.Contains(t, o.Stdout, "h264, ")
}
