package resample_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/internal/need"
)

// ffmpeg runs raw samples through the ffmpeg command, which uses swresample.
func ffmpeg[Out, In resample.Number](t *testing.T, format string, rate, channels int, in []In, more ...string) []Out {
	t.Helper()
	path := need.Command(t, "ffmpeg")
	var raw bytes.Buffer
	require.NoError(t, binary.Write(&raw, binary.LittleEndian, in))
	cmd := exec.CommandContext(t.Context(), path, append([]string{"-v", "error", "-f", format, "-ar", fmt.Sprint(rate),
		"-ac", fmt.Sprint(channels), "-i", "-"}, append(more, "-")...)...)
	cmd.Stdin = &raw
	return output[Out](t, cmd)
}

// output returns the output of a command.
func output[Out resample.Number](t *testing.T, cmd *exec.Cmd) []Out {
	t.Helper()
	data, err := cmd.Output()
	require.NoError(t, err)
	out := make([]Out, len(data)/binary.Size(Out(0)))
	require.NoError(t, binary.Read(bytes.NewReader(data), binary.LittleEndian, out))
	return out
}

// swresample resamples a channel with swresample's default filter.
func swresample(t *testing.T, in, out int, audio []float32) []float32 {
	t.Helper()
	return ffmpeg[float32](t, "f32le", in, 1, audio, "-af", fmt.Sprintf("aresample=%d", out), "-f", "f32le")
}

// rms returns the root of the mean square of the difference.
func rms(a, b []float32) float64 {
	var sum float64
	for i := range a {
		d := float64(a[i] - b[i])
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(a)))
}

// sweep returns a sine whose frequency rises linearly.
func sweep(from, to float64, rate, n int) []float32 {
	audio := make([]float32, n)
	for i := range audio {
		x := float64(i) / float64(n)
		audio[i] = float32(math.Sin(2 * math.Pi * (from + (to-from)*x/2) * float64(i) / float64(rate)))
	}
	return audio
}

// White noise and sweeps contain all frequencies, including those that would alias.
func TestDefaultIsSwresample(t *testing.T) {
	for _, rates := range [][2]int{{44100, 16000}, {48000, 16000}, {48000, 44100}, {8000, 44100}, {11025, 16000},
		{44100, 44099}, {44100, 48000}, {96000, 16000}, {192000, 8000}, {44100, 11025}} {
		in, out := rates[0], rates[1]
		t.Run(fmt.Sprintf("%d to %d", in, out), func(t *testing.T) {
			audio := slices.Concat(noise(1, 50000), sweep(0, float64(in)/2, in, 50000), make([]float32, 1000),
				tone(0.01, in, 1000))
			want := swresample(t, in, out, audio)
			got := whole(t, in, out, resample.Default, audio)[0]
			require.Len(t, got, len(want))
			t.Logf("rms %.2g", rms(got, want))
			limit := 1e-5
			if in == 44100 && out == 16000 {
				limit = 2e-7
			}
			assert.Less(t, rms(got, want), limit)
		})
	}
}

// Frequencies above half the output's rate must not alias more than in swresample.
func TestAliasesOfSwresample(t *testing.T) {
	for _, rates := range [][2]int{{44100, 16000}, {48000, 16000}, {22050, 16000}} {
		half := float64(rates[1]) / 2
		for _, stop := range []float64{1.05, 1.15} {
			audio := sweep(half*stop, float64(rates[0])/2, rates[0], 100000)
			want := power(middle(swresample(t, rates[0], rates[1], audio)))
			got := power(middle(whole(t, rates[0], rates[1], resample.Default, audio)[0]))
			t.Logf("%v from %.2f: %.2f dB, swresample %.2f dB", rates, stop, got, want)
			assert.LessOrEqual(t, got, want+0.05)
		}
	}
}
