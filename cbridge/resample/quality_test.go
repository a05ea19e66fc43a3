package resample_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/internal/short"
)

// tone returns a sine of amplitude 1.
func tone(frequency float64, rate, n int) []float32 {
	audio := make([]float32, n)
	for i := range audio {
		audio[i] = float32(math.Sin(2 * math.Pi * frequency * float64(i) / float64(rate)))
	}
	return audio
}

// middle returns the audio without its ends.
func middle(audio []float32) []float32 { return audio[len(audio)/4 : len(audio)*3/4] }

// gain returns the effect of a filter on a tone, in dB: the level of the tone in the output, and the level of the rest.
func gain(t *testing.T, in, out int, q resample.Quality, frequency float64) (signal, rest float64) {
	t.Helper()
	const n = 20000
	got := middle(whole(t, in, out, q, tone(frequency, in, n))[0])
	// Least squares fit of a sine and a cosine.
	var ss, sc, cc, ys, yc float64
	at := func(i int) (sin, cos float64) {
		return math.Sincos(2 * math.Pi * frequency * float64(i) / float64(out))
	}
	for i, y := range got {
		sin, cos := at(i)
		ss, sc, cc = ss+sin*sin, sc+sin*cos, cc+cos*cos
		ys, yc = ys+float64(y)*sin, yc+float64(y)*cos
	}
	determinant := ss*cc - sc*sc
	a, b := (ys*cc-yc*sc)/determinant, (yc*ss-ys*sc)/determinant
	var square float64
	for i, y := range got {
		sin, cos := at(i)
		d := float64(y) - a*sin - b*cos
		square += d * d
	}
	return 20 * math.Log10(math.Hypot(a, b)), 10 * math.Log10(2*square/float64(len(got)))
}

// power returns the level of all that remains of a tone, in dB.
func power(audio []float32) float64 {
	var square float64
	for _, y := range audio {
		square += float64(y) * float64(y)
	}
	return 10 * math.Log10(2*square/float64(len(audio)))
}

// TestQuality checks the documented figures, in units of half the lower rate: tones up to one frequency pass unchanged,
// and tones from another frequency on are removed. When the rate goes up, images of tones are removed in the same way.
func TestQuality(t *testing.T) {
	tones, stride := short.Of(25, 5), short.Of(1.0, 5)
	for q, want := range map[resample.Quality]struct{ pass, ripple, half, stop, up, alias float64 }{
		resample.Fast:    {0.73, 0.08, 0.88, 1.17, 1.17, -68},
		resample.Default: {0.81, 0.005, 0.94, 1.15, 1.18, -89},
		resample.Best:    {0.88, 0.003, 0.945, 1.06, 1.06, -118},
	} {
		for _, rates := range [][2]int{{44100, 16000}, {48000, 16000}, {48000, 44100}, {44100, 44099}, {16000, 48000},
			{44100, 48000}, {12347, 12345}} {
			in, out := rates[0], rates[1]
			t.Run(fmt.Sprintf("%v/%d to %d", q, in, out), func(t *testing.T) {
				half := float64(min(in, out)) / 2
				stop := want.stop
				if out > in {
					stop = want.up
				}
				worstGain, worstRest, worstAlias := 0.0, -200.0, -200.0
				for i := range tones {
					frequency := half * want.pass * float64(i+1) / float64(tones)
					signal, rest := gain(t, in, out, q, frequency)
					worstGain = max(worstGain, math.Abs(signal))
					if frequency < float64(in)-stop*half { // its image is in the stop band
						worstRest = max(worstRest, rest)
					}
				}
				for f := stop * half; f < float64(in)/2; f += stride * (float64(in)/2/60 + 1) {
					worstAlias = max(worstAlias, power(middle(whole(t, in, out, q, tone(f, in, 20000))[0])))
				}
				signal, _ := gain(t, in, out, q, half*want.half)
				t.Logf("ripple %.5f dB up to %.2f, %.2f dB at %.3f, images %.1f dB, aliases %.1f dB from %.2f", worstGain,
					want.pass, signal, want.half, worstRest, worstAlias, stop)
				assert.Less(t, worstGain, want.ripple)
				assert.Greater(t, signal, -3.2)
				assert.Less(t, worstRest, want.alias)
				assert.Less(t, worstAlias, want.alias)
			})
		}
	}
}
