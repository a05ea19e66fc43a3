package decoding

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/probed"
)

// The audio that torchcodec decoded from the wider collection, at its own rate and at 16 kHz.
func TestDecodeAudioOfSharedMedia(t *testing.T) {
	expected := clitest.Shared + "/expected"
	file, err := os.ReadFile(need.Media(t, "expected/index.json"))
	require.NoError(t, err)
	var all map[string]struct {
		Audio struct {
			Shape []int  `json:"shape"`
			NPY   string `json:"npy"` // of its beginning
			Mono  string `json:"mono16k_npy"`
		} `json:"audio"`
	}
	require.NoError(t, json.Unmarshal(file, &all))
	tested := 0
	for name, want := range all {
		if want.Audio.NPY != "" {
			got, reference := tool.Decoded(t, "audio", filepath.Join(clitest.Shared, name)), clitest.ReadArray(t,
				filepath.Join(expected, want.Audio.NPY))
			if !strings.HasSuffix(name, ".m4a") { // torchcodec's goes beyond the end
				require.Equal(t, want.Audio.Shape, got.Shape, name)
			}
			most := 0.0
			for c := range got.Shape[0] {
				a, b := got.Channel(t, c), reference.Channel(t, c)
				for i := range min(len(a), len(b)) {
					most = max(most, math.Abs(float64(a[i]-b[i])))
				}
			}
			assert.LessOrEqual(t, most, 1e-3, name)
			tested++
		}
		if want.Audio.Mono != "" {
			a := tool.Decoded(t, "audio", filepath.Join(clitest.Shared, name), "--rate", "16000", "--channels", "1").Channel(t,
				0)
			b := clitest.ReadArray(t, filepath.Join(expected, want.Audio.Mono)).Channel(t, 0)
			sum := 0.0
			for i := range min(len(a), len(b)) {
				sum += float64(a[i]-b[i]) * float64(a[i]-b[i])
			}
			assert.LessOrEqual(t, math.Sqrt(sum/float64(len(a))), 3e-3, name)
		}
	}
	require.Greater(t, tested, 10)
}

// A window equals that part of the whole file, to the last bit. The other flags do what their help says.
func TestDecodeAudio(t *testing.T) {
	whole := tool.Decoded(t, "audio", clitest.Song)
	require.Equal(t, "<f4", whole.Dtype)
	require.Len(t, whole.Shape, 2)
	var info probed.File
	require.NoError(t, json.Unmarshal([]byte(tool.Done(t, "probe", "--json", clitest.Song)), &info))
	rate := int(info.Rate)
	require.Equal(t, info.Channels, whole.Shape[0])

	window := tool.Decoded(t, "audio", clitest.Song, "--start", "0.25", "--end", "0.5")
	require.Equal(t, []int{whole.Shape[0], (rate+1)/2 - (rate+3)/4}, window.Shape)
	for c := range whole.Shape[0] {
		assert.Equal(t, whole.Channel(t, c)[(rate+3)/4:(rate+1)/2], window.Channel(t, c))
	}
	assert.Equal(t, []int{1, (whole.Shape[1]*8000 + rate - 1) / rate},
		tool.Decoded(t, "audio", clitest.Song, "--rate", "8000", "--channels", "1").Shape)
	turned := tool.Decoded(t, "audio", clitest.Song, "--layout", "tc", "--dtype", "s16")
	assert.Equal(t, []int{whole.Shape[1], whole.Shape[0]}, turned.Shape)
	assert.Equal(t, "<i2", turned.Dtype)
	assert.Equal(t, "<i4", tool.Decoded(t, "audio", clitest.Song, "--dtype", "s32", "--quality", "best").Dtype)

	out := filepath.Join(t.TempDir(), "out.npy")
	tool.Done(t, "decode", "audio", clitest.Song, "--out", out)
	assert.Equal(t, whole, clitest.ReadArray(t, out))
}

func TestDecodeAudioRefuses(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.npy")
	for _, c := range []struct{ file, flags, line string }{
		{"nowhere.mp3", "", "not-found: no such file or directory"},
		{filepath.Dir(out), "", "not-a-file: "},
		{clitest.Empty, "", "empty: "},
		{clitest.Text, "", "not-media: "},
		{clitest.Photo, "", ""},
		{clitest.Clip, "", ""}, // without audio
		{clitest.Song, "--stream 3", "no-such-frame: "},
		{clitest.Song, "--max-memory 1KiB", "too-large: "},
	} {
		o := tool.Run(append([]string{"decode", "audio", c.file, "--out", out}, strings.Fields(c.flags)...)...)
		assert.Equal(t, cli.ExitInput, o.Code, "%s %s: %s", c.file, c.flags, o.Stderr)
		assert.Len(t, clitest.Lines(o.Stderr), 1, o.Stderr)
		assert.True(t, strings.HasPrefix(o.Stderr, "spool: "+c.file+": "+c.line), o.Stderr)
		assert.NoFileExists(t, out)
	}
}
