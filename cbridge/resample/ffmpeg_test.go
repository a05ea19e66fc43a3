package resample_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/resample"
)

// ffmpeg resamples a channel by swresample's default.
func ffmpeg(t *testing.T, in, out int, sound []float32) []float32 {
	t.Helper()
	path, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("no ffmpeg command")
	}
	var raw bytes.Buffer
	require.NoError(t, binary.Write(&raw, binary.NativeEndian, sound))
	rate := fmt.Sprint(in)
	cmd := exec.CommandContext(t.Context(), path, "-v", "error", "-f", "f32le", "-ar", rate, "-ac", "1", "-i", "-",
		"-af", fmt.Sprintf("aresample=%d", out), "-f", "f32le", "-")
	cmd.Stdin = &raw
	data, err := cmd.Output()
	require.NoError(t, err)
	result := make([]float32, len(data)/4)
	require.NoError(t, binary.Read(bytes.NewReader(data), binary.NativeEndian, result))
	return result
}

// White noise has all frequencies, those that would alias among them.
func TestDefaultIsSwresample(t *testing.T) {
	for _, rates := range [][2]int{{44100, 16000}, {48000, 16000}, {48000, 44100}, {8000, 44100}, {11025, 16000},
		{44100, 44099}, {44100, 48000}, {96000, 16000}, {192000, 8000}, {44100, 11025}} {
		t.Run(fmt.Sprintf("%d to %d", rates[0], rates[1]), func(t *testing.T) {
			noise := rand.New(rand.NewPCG(1, 2))
			sound := make([]float32, 50000)
			for i := range sound {
				sound[i] = float32(noise.Float64()*2 - 1)
			}
			want := ffmpeg(t, rates[0], rates[1], sound)
			got := whole(t, rates[0], rates[1], resample.Default, sound)[0]
			require.Len(t, got, len(want))
			assert.Less(t, rms(got, want), 1e-5)
		})
	}
}

// rms is the root of the mean square of the difference.
func rms(a, b []float32) float64 {
	var sum float64
	for i := range a {
		d := float64(a[i] - b[i])
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(a)))
}
