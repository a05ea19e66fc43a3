package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/probed"
)

const song = media + "/audio/mp3.mp3"

// decodedAudio is what decode audio makes of a file.
func decodedAudio(t testing.TB, file string, flags ...string) array {
	t.Helper()
	return readNPY(t, []byte(done(t, append([]string{"decode", "audio", file, "--out", "-"}, flags...)...)))
}

// The sounds that torchcodec gave of the wider collection, at their own rate and at 16 kHz.
func TestDecodeAudioOfSharedMedia(t *testing.T) {
	const expected = shared + "/expected"
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
			got, reference := decodedAudio(t, filepath.Join(shared, name)), readFile(t, filepath.Join(expected, want.Audio.NPY))
			if !strings.HasSuffix(name, ".m4a") { // of which torchcodec's goes beyond the end
				require.Equal(t, want.Audio.Shape, got.shape, name)
			}
			most := 0.0
			for c := range got.shape[0] {
				a, b := got.channel(t, c), reference.channel(t, c)
				for i := range min(len(a), len(b)) {
					most = max(most, math.Abs(float64(a[i]-b[i])))
				}
			}
			assert.LessOrEqual(t, most, 1e-3, name)
			tested++
		}
		if want.Audio.Mono != "" {
			a := decodedAudio(t, filepath.Join(shared, name), "--rate", "16000", "--channels", "1").channel(t, 0)
			b := readFile(t, filepath.Join(expected, want.Audio.Mono)).channel(t, 0)
			sum := 0.0
			for i := range min(len(a), len(b)) {
				sum += float64(a[i]-b[i]) * float64(a[i]-b[i])
			}
			assert.LessOrEqual(t, math.Sqrt(sum/float64(len(a))), 3e-3, name)
		}
	}
	require.Greater(t, tested, 10)
}

// channel are the samples of one channel of (C,T).
func (a array) channel(t testing.TB, c int) []float32 {
	t.Helper()
	values := a.floats(t)
	return values[c*a.shape[1] : (c+1)*a.shape[1]]
}

// A window is that part of the whole, to the last bit, and the other flags do what they say.
func TestDecodeAudio(t *testing.T) {
	whole := decodedAudio(t, song)
	require.Equal(t, "<f4", whole.dtype)
	require.Len(t, whole.shape, 2)
	var info probed.File
	require.NoError(t, json.Unmarshal([]byte(done(t, "probe", "--json", song)), &info))
	rate := int(info.Rate)
	require.Equal(t, info.Channels, whole.shape[0])

	window := decodedAudio(t, song, "--start", "0.25", "--end", "0.5")
	require.Equal(t, []int{whole.shape[0], (rate+1)/2 - (rate+3)/4}, window.shape)
	for c := range whole.shape[0] {
		assert.Equal(t, whole.channel(t, c)[(rate+3)/4:(rate+1)/2], window.channel(t, c))
	}
	assert.Equal(t, []int{1, (whole.shape[1]*8000 + rate - 1) / rate}, decodedAudio(t, song, "--rate", "8000", "--channels", "1").shape)
	turned := decodedAudio(t, song, "--layout", "tc", "--dtype", "s16")
	assert.Equal(t, []int{whole.shape[1], whole.shape[0]}, turned.shape)
	assert.Equal(t, "<i2", turned.dtype)
	assert.Equal(t, "<i4", decodedAudio(t, song, "--dtype", "s32", "--quality", "best").dtype)

	out := filepath.Join(t.TempDir(), "out.npy")
	done(t, "decode", "audio", song, "--out", out)
	assert.Equal(t, whole, readFile(t, out))
}

func TestDecodeAudioRefuses(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.npy")
	for _, c := range []struct{ file, flags, line string }{
		{"nowhere.mp3", "", "not-found: no such file or directory"},
		{filepath.Dir(out), "", "not-a-file: "},
		{empty, "", "empty: "},
		{text, "", "not-media: "},
		{photo, "", ""},
		{clip, "", ""}, // no sound in it
		{song, "--stream 3", "no-such-frame: "},
		{song, "--max-memory 1KiB", "too-large: "},
	} {
		o := command(append([]string{"decode", "audio", c.file, "--out", out}, strings.Fields(c.flags)...)...)
		assert.Equal(t, exitInput, o.code, "%s %s: %s", c.file, c.flags, o.stderr)
		assert.Len(t, linesOf(o.stderr), 1, o.stderr)
		assert.True(t, strings.HasPrefix(o.stderr, "spool: "+c.file+": "+c.line), o.stderr)
		assert.NoFileExists(t, out)
	}
}
