package encode_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse},
		leaktest.Count{Name: "handles", Now: av.Handles}, leaktest.Count{Name: "handles forgotten", Now: av.Forgotten})
}

// ffmpeg returns the standard output of the ffmpeg command.
func ffmpeg(t testing.TB, stdin []byte, args ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), "ffmpeg",
		append([]string{"-hide_banner", "-loglevel", "error"}, args...)...)
	var out, complaints bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(stdin), &out, &complaints
	require.NoError(t, command.Run(), complaints.String())
	return out.Bytes()
}

type probed struct {
	Streams []struct {
		CodecName   string `json:"codec_name"`
		PixFmt      string `json:"pix_fmt"`
		ColorSpace  string `json:"color_space"`
		ColorRange  string `json:"color_range"`
		SampleFmt   string `json:"sample_fmt"`
		SampleRate  string `json:"sample_rate"`
		Rate        string `json:"avg_frame_rate"`
		Start       string `json:"start_time"`
		Frames      string `json:"nb_read_frames"`
		Packets     string `json:"nb_read_packets"`
		Width       int
		Height      int
		Channels    int
		Tags        map[string]string
		Disposition map[string]int
		SideData    []struct{ Rotation float64 } `json:"side_data_list"`
	}
}

// ffprobe is the ffprobe command's description of a file.
func ffprobe(t testing.TB, path string) probed {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ffprobe", "-loglevel", "error", "-of", "json", "-show_streams",
		"-count_frames", "-count_packets", path).Output()
	require.NoError(t, err)
	var p probed
	require.NoError(t, json.Unmarshal(out, &p))
	return p
}

// movingFrames is n frames of moving color gradients, with some noise.
func movingFrames(n, height, width, channels int) ([]byte, spool.Desc) {
	random := rand.New(rand.NewPCG(1, uint64(height)))
	pixels := make([]byte, 0, n*height*width*channels)
	for f := range n {
		for y := range height {
			for x := range width {
				for c := range channels {
					pixels = append(pixels, byte(40+(x*3+y*2*c+f*8)%170+random.IntN(8)))
				}
			}
		}
	}
	return pixels, spool.Desc{Shape: spool.Shape{n, height, width, channels}, Layout: spool.NHWC}
}

// requireOnlyFiles asserts that a folder has exactly these files.
func requireOnlyFiles(t testing.TB, folder string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	found := []string{}
	for _, e := range entries {
		found = append(found, filepath.Base(e.Name()))
	}
	require.ElementsMatch(t, names, found)
}
