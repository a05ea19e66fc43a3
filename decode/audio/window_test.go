package audio_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/short"
)

// audioFiles are all audio files available to tests.
func audioFiles(t testing.TB) []string {
	t.Helper()
	own, err := filepath.Glob(filepath.Join(media, "audio", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, own)
	if testing.Short() {
		return own
	}
	theirs, err := filepath.Glob(filepath.Join(shared, "audio", "*"))
	require.NoError(t, err)
	return append(own, theirs...)
}

func damaged(name string) bool { return strings.HasPrefix(filepath.Base(name), "damaged") }

// windows calls test with random windows, given both as times and as sample numbers.
func windows(r *rand.Rand, rate, n, count int, test func(start, end float64, first, last int)) {
	for range count {
		first := r.IntN(n)
		last := min(n, first+1+r.IntN(n/4+1))
		test(float64(first)/float64(rate), float64(last)/float64(rate), first, last)
	}
}

// A window equals the same range of the whole, to the bit, at the file's sample rate and at others, whether decoding
// begins at the front or shortly before the window.
func TestWindowsAreSlices(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range short.Some(audioFiles(t), 7) {
		for _, spec := range []audio.Spec{{}, {Rate: 16000, Channels: 1}, {Rate: 11025},
			{Rate: 48000, Quality: audio.FastQuality}} {
			for _, jump := range []bool{false, true} {
				spec.OnDamage = decode.MarkDamage
				t.Run(fmt.Sprintf("%s %d %v", filepath.Base(name), spec.Rate, jump), func(t *testing.T) {
					a := openAudio(t, d, name)
					all, report := readAudio[float32](t, a, spec)
					n, channels := report.Samples, report.Desc.Shape[0]
					if jump && (!a.Jump(-1) || damaged(name)) {
						t.Skip("this codec, or this container, begins at the front")
					}
					jumped := 0
					windows(rand.New(rand.NewPCG(7, uint64(n))), report.Rate, n, 12, func(start, end float64, first, last int) {
						part := spec
						part.Start, part.End = start, end
						got, report := readAudio[float32](t, a, part)
						require.Equal(t, last-first, report.Samples, "[%v, %v)", start, end)
						require.Equal(t, int64(first), report.First)
						for c := range channels {
							same(t, all[c*n:][first:last], got[c*(last-first):][:last-first], "[%v, %v) of %d, channel %d", start, end, n, c)
						}
						if a.Jumps() {
							jumped++
						}
					})
					if jump && !strings.HasPrefix(filepath.Base(name), "truncated") && n > 2*report.Rate {
						assert.Positive(t, jumped, "no window began at a packet")
					}
				})
			}
		}
	}
}

// same requires equality, and reports the first sample that differs.
func same(t testing.TB, want, got []float32, format string, args ...any) {
	t.Helper()
	if slices.Equal(want, got) {
		return
	}
	require.Len(t, got, len(want), "%s", fmt.Sprintf(format, args...))
	worst, at := 0.0, -1
	for i, v := range want {
		if v != got[i] {
			if at < 0 {
				at = i
			}
			worst = max(worst, math.Abs(float64(v-got[i])))
		}
	}
	require.Fail(t, "differs", "%s: from sample %d of %d on, by %g", fmt.Sprintf(format, args...), at, len(want), worst)
}

// Audio whose length the file does not say has as many samples as from the ffmpeg command, in each type and layout:
// memory for the result is a guess, and grows.
func TestResultsOfUnknownLength(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	name := filepath.Join(media, "audio", "aac.mkv")
	a := openAudio(t, d, name)
	require.EqualValues(t, -1, a.Info().Samples)
	for _, rate := range []int{16000, 44100, 96000} {
		want := ffmpegAudio[int16](t, name, "-ac", "1", "-ar", fmt.Sprint(rate))
		for _, dtype := range []spool.DType{spool.Int16, spool.Int32, spool.Float32} {
			for _, layout := range []spool.Layout{spool.CT, spool.TC} {
				s, err := a.Read(t.Context(), audio.Spec{Rate: rate, Channels: 1, DType: dtype, Layout: layout})
				require.NoError(t, err)
				assert.InDelta(t, len(want), s.Samples, 1, "%d %v %v", rate, dtype, layout)
				s.Release()
			}
		}
	}
}
