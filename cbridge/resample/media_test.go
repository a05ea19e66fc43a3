package resample_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/internal/need"
)

const expected = "../../../shared/media/expected"

var shapeOf = regexp.MustCompile(`'shape': \((\d+), (\d+)\)`)

// channels reads a NumPy file of float32 of shape (C, T).
func channels(t *testing.T, name string) [][]float32 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(expected, name))
	require.NoError(t, err)
	shape := shapeOf.FindSubmatch(data)
	require.NotNil(t, shape, name)
	list := make([][]float32, number(t, shape[1]))
	n := number(t, shape[2])
	data = data[len(data)-4*n*len(list):]
	for i := range list {
		list[i] = make([]float32, n)
		require.NoError(t, binary.Read(bytes.NewReader(data[4*n*i:]), binary.LittleEndian, list[i]))
	}
	return list
}

func number(t *testing.T, digits []byte) int {
	t.Helper()
	n, err := strconv.Atoi(string(digits))
	require.NoError(t, err)
	return n
}

// The beginnings of real audio files, decoded by torchcodec at their own rate and layout, become torchcodec's result at
// 16 kHz, mono.
func TestMedia(t *testing.T) {
	text, err := os.ReadFile(need.Media(t, "expected/index.json"))
	require.NoError(t, err)
	var index map[string]struct {
		Audio *struct {
			Rate int
			NPY  string
			Mono string `json:"mono16k_npy"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &index))
	const half = 0.70710678
	matrices := map[int]*resample.Matrix{ // swresample's weights for mono, stereo and 5.1
		1: nil,
		2: {In: 2, Out: 1, Weights: []float32{half, half}},
		6: {In: 6, Out: 1, Weights: []float32{half, half, 1, 0, 0.5, 0.5}},
	}
	var filters resample.Filters
	c := enter(t)
	defer c.Leave()
	count := 0
	for name, file := range index {
		a := file.Audio
		if a == nil || filepath.Dir(name) != "audio" {
			continue
		}
		count++
		t.Run(filepath.Base(name), func(t *testing.T) {
			f, err := filters.Get(a.Rate, 16000, resample.Default)
			require.NoError(t, err)
			r, err := resample.New(f, 1)
			require.NoError(t, err)
			audio := channels(t, a.NPY)
			want := channels(t, a.Mono)[0]
			got := make([]float32, f.Length(int64(len(audio[0]))))
			n, err := r.Process(c, resample.Planes{Data: got}, resample.Separate(audio...), matrices[len(audio)])
			require.NoError(t, err)
			require.Greater(t, n, 3900)
			t.Logf("rms %.2g", rms(got[:n], want[:n]))
			assert.Less(t, rms(got[:n], want[:n]), 1e-5)
		})
	}
	assert.Positive(t, count)
}

// Whole audio files, including their ends, become the result of the ffmpeg command.
func TestMediaIsSwresample(t *testing.T) {
	path := need.Command(t, "ffmpeg")
	files, err := filepath.Glob(need.Media(t, "audio") + "/*")
	require.NoError(t, err)
	for i, file := range files {
		if testing.Short() && i%5 != 0 {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			probe := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-show_entries", "stream=sample_rate,channels",
				"-of", "csv=p=0", file)
			text, err := probe.Output()
			require.NoError(t, err)
			var rate, count int
			_, err = fmt.Sscanf(string(text), "%d,%d", &rate, &count)
			require.NoError(t, err)
			decode := func(more ...string) []float32 {
				args := slices.Concat([]string{"-v", "fatal", "-i", file}, more, []string{"-f", "f32le", "-"})
				return output[float32](t, exec.CommandContext(t.Context(), path, args...))
			}
			audio := resample.Interleaved(count, decode())
			want := resample.Interleaved(count, decode("-af", "aresample=16000"))
			f, err := (*resample.Filters)(nil).Get(rate, 16000, resample.Default)
			require.NoError(t, err)
			length := int(f.Length(int64(audio.Len)))
			require.InDelta(t, want.Len, length, 1) // swresample omits the last sample of a.m4a
			r, err := resample.New(f, count)
			require.NoError(t, err)
			c := enter(t)
			defer c.Leave()
			got := make([]float32, count*length)
			n, err := r.Process(c, resample.Planes{Data: got, Stride: length}, audio, nil)
			require.NoError(t, err)
			_, err = r.Flush(c, resample.Planes{Data: got[n:], Stride: length})
			require.NoError(t, err)
			planes := make([]float32, count*length)
			require.NoError(t, resample.Mix(c, resample.Planes{Data: planes, Stride: length}, want, nil))
			for i := range count {
				difference := rms(got[i*length:][:want.Len], planes[i*length:][:want.Len])
				t.Logf("rms %.2g", difference)
				assert.Less(t, difference, 1e-5)
			}
		})
	}
}
