package resample_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/internal/short"
)

// model is the definition in float64, one output after another: a sinc under a Kaiser window at the time of the output,
// over the audio and its mirror images.
func model(in, out int, crossings, cutoff, up, beta float64, audio []float32) []float64 {
	factor := min(float64(out)/float64(in)*cutoff, up)
	if in == out {
		factor = 1
	}
	width := int(math.Ceil(crossings / factor))
	width += width % 2
	n := int64(len(audio))
	result := make([]float64, (n*int64(out)+int64(in)-1)/int64(in))
	for i := range result {
		at, rest := int64(i)*int64(in)/int64(out), int64(i)*int64(in)%int64(out)
		between := float64(rest) / float64(out)
		var sum, weights float64
		for t := range width {
			offset := t - (width/2 - 1)
			x := (float64(offset) - between) * math.Pi * factor
			w := 1.0
			if x != 0 {
				w = math.Sin(x) / x
			}
			edge := 2 * (float64(offset) - between) / float64(width)
			w *= bessel(beta * math.Sqrt(max(0, 1-edge*edge)))
			weights += w
			sum += w * float64(mirrored(audio, at+int64(offset)))
		}
		result[i] = sum / weights
	}
	return result
}

// mirrored returns a sample of the audio extended at both ends.
func mirrored(audio []float32, at int64) float32 {
	n := int64(len(audio))
	if at >= n {
		at = 2*n - 1 - at
	}
	if at < 0 {
		at = -at
	}
	if at >= n {
		return 0
	}
	return audio[at]
}

// bessel returns I0 by its integral, (1/pi) times that of exp(x cos t) over [0, pi]. For periodic, smooth functions the
// trapezoidal rule is exact to the last digits.
func bessel(x float64) float64 {
	const steps = 64
	sum := (math.Exp(x) + math.Exp(-x)) / 2
	for i := 1; i < steps; i++ {
		sum += math.Exp(x * math.Cos(math.Pi*float64(i)/steps))
	}
	return sum / steps
}

func noise(seed uint64, n int) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	audio := make([]float32, n)
	for i := range audio {
		audio[i] = float32(2*r.Float64() - 1)
	}
	return audio
}

var designs = map[resample.Quality][4]float64{ // crossings, cutoff, cutoff when the rate goes up, beta
	resample.Default: {32, 0.97, 1, 9},
	resample.Fast:    {16, 0.93, 0.93, 6.5},
	resample.Best:    {80, 0.96, 0.96, 12},
}

// Filters have a row for each output phase, or are interpolated if there are too many phases: 44099, 12345.
func TestDesign(t *testing.T) {
	for _, rates := range short.Some([][2]int{{44100, 16000}, {48000, 16000}, {8000, 44100}, {11025, 16000},
		{44100, 44099}, {12347, 12345}, {192000, 8000}, {16000, 16000}, {3, 7}, {96000, 1001}, {1001, 96000}}, 4) {
		for q, d := range designs {
			audio := noise(1, min(300, 300*rates[0]/rates[1]+10))
			got := whole(t, rates[0], rates[1], q, audio)[0]
			want := model(rates[0], rates[1], d[0], d[1], d[2], d[3], audio)
			require.Len(t, got, len(want))
			for i := range got {
				if math.Abs(float64(got[i])-want[i]) > 1e-6 {
					require.InDelta(t, want[i], got[i], 1e-6, "%v %v: output %d", rates, q, i)
				}
			}
		}
	}
}

// With equal rates, no sample changes.
func TestModelSameRate(t *testing.T) {
	audio := noise(2, 1000)
	for q := range designs {
		assert.Equal(t, audio, whole(t, 22050, 22050, q, audio)[0])
	}
}

// Every instruction set gives the bits of plain C, for any rates and channels, in the same chunks.
func TestModelLevels(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range short.Of(300, 40) {
		rates := [2]int{1 + r.IntN(50000), 1 + r.IntN(50000)}
		if r.IntN(2) == 0 {
			common := [...]int{8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000}
			rates = [2]int{common[r.IntN(8)], common[r.IntN(8)]}
		}
		if rates[0] > 100*rates[1] || rates[1] > 100*rates[0] {
			continue
		}
		f, err := (*resample.Filters)(nil).Get(rates[0], rates[1], resample.Quality(r.IntN(3)))
		require.NoError(t, err)
		channels, n := 1+r.IntN(7), r.IntN(2000)
		var audio [][]float32
		for range channels {
			audio = append(audio, noise(r.Uint64(), n))
		}
		var want [][]float32
		for level := range resample.Levels {
			got := wholeBy(t, f, level, audio...)
			if level == 0 {
				want = got
			}
			require.Equal(t, want, got, "%v, %s", rates, resample.LevelName(level))
		}
	}
}
