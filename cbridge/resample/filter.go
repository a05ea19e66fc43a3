package resample

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// lanes is the number of partial sums in the kernels: rows of coefficients are multiples of it.
const lanes = 8

// Bounds of a filter.
const (
	maxTaps = 1 << 17
	// maxEntries is the largest number of coefficients for filters with a row for each output phase. Larger filters are
	// interpolated.
	maxEntries = 1 << 18
	// spacing is the number of phases of interpolated filters for each sample of the lower rate.
	spacing = 2048
)

// Filter converts one rate to another with a quality. It has one row of coefficients for each phase of an output
// between two inputs. It is immutable and may be shared.
type Filter struct {
	idle         windows
	in, out      int
	quality      Quality
	whole, part  int // in/out is whole + part/denominator
	denominator  int
	taps, centre int // length of a row; the tap on the input sample at or before the output
	rows         int // phases; equal to denominator if each output phase has a row
	coefficients []float32
}

// In returns the input rate, in samples a second.
func (f *Filter) In() int { return f.in }

// Out returns the output rate, in samples a second.
func (f *Filter) Out() int { return f.out }

// Quality returns the quality of the filter.
func (f *Filter) Quality() Quality { return f.quality }

// Taps returns the number of input samples for each output.
func (f *Filter) Taps() int { return f.taps }

// Length returns the number of output samples for n input samples: ceil(n*out/in). swresample sometimes omits the last
// of them.
func (f *Filter) Length(n int64) int64 {
	return scaleUp(max(n, 0), int64(f.out), int64(f.in))
}

// Span returns the input samples for the outputs [first, last): [from, to). from is at least 0; to may exceed the end
// of the audio.
func (f *Filter) Span(first, last int64) (from, to int64) {
	if last <= first {
		return 0, 0
	}
	from, _ = f.position(first)
	to, _ = f.position(last - 1)
	return max(from, 0), to + int64(f.taps)
}

// group returns a number of outputs that are best computed together: the most that the samples of a strip complete, as
// a multiple of those for which the kernels load each coefficient once for four sums. It is 1 if there is none.
func (f *Filter) group(channels int) int {
	outputs := 4 * f.rows
	if channels > 1 {
		outputs = 2 * f.rows // of two channels
	}
	inputs := outputs / f.rows * (f.whole*f.denominator + f.part)
	if f.rows != f.denominator || inputs > strip {
		return 1
	}
	return strip / inputs * outputs
}

// position returns the input sample of an output's first tap, and the output's phase in units of 1/denominator.
func (f *Filter) position(output int64) (at int64, phase int) {
	step := uint64(f.whole)*uint64(f.denominator) + uint64(f.part)
	high, low := bits.Mul64(uint64(output), step)
	quotient, rest := bits.Div64(high%uint64(f.denominator), low, uint64(f.denominator))
	return int64(quotient) - int64(f.centre), int(rest)
}

// scaleUp returns ceil(n*a/b), for results below 2^63.
func scaleUp(n, a, b int64) int64 {
	high, low := bits.Mul64(uint64(n), uint64(a))
	low, carry := bits.Add64(low, uint64(b-1), 0)
	high += carry
	quotient, _ := bits.Div64(high%uint64(b), low, uint64(b))
	return int64(quotient)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// newFilter designs a filter. The taps of phase p are those of a sinc under a Kaiser window (Kaiser 1974, as in
// Oppenheim and Schafer, Discrete-Time Signal Processing, 7.5.3), divided by their sum. The quality defines the sinc's
// cutoff as a fraction of half the lower rate.
func newFilter(in, out int, q Quality) (*Filter, error) {
	if err := validate(in, out, q); err != nil {
		return nil, err
	}
	d := designs[q]
	common := gcd(in, out)
	step, denominator := in/common, out/common
	f := &Filter{in: in, out: out, quality: q, whole: step / denominator, part: step % denominator,
		denominator: denominator}

	// A lower cutoff widens the main lobe, and increases the number of taps in proportion.
	factor := d.factor(in, out)
	width := int(math.Ceil(float64(d.crossings) / factor))
	width += width % 2
	f.centre = width/2 - 1
	f.taps = (width + lanes - 1) / lanes * lanes
	if f.taps > maxTaps {
		return nil, &spool.Error{Op: "resample", Class: spool.ErrUnsupported,
			Text: fmt.Sprintf("%d Hz to %d Hz takes a filter of %d taps", in, out, f.taps)}
	}
	f.rows = denominator
	if f.rows*f.taps > maxEntries {
		f.rows = max(int(spacing*factor), 1)
	}
	rows := f.rows
	if f.rows != denominator {
		rows++ // the end of the last interval
	}
	f.coefficients = alignedFloats(rows * f.taps)
	norm := 1 / besselI0(d.beta)
	row := make([]float64, width)
	for p := range rows {
		var sum float64
		for t := range row {
			x := (float64(t-f.centre) - float64(p)/float64(f.rows)) * factor
			row[t] = sinc(x) * kaiser(2*x/(factor*float64(width)), d.beta) * norm
			sum += row[t]
		}
		for t, y := range row {
			f.coefficients[p*f.taps+t] = float32(y / sum)
		}
	}
	return f, nil
}

func sinc(x float64) float64 {
	switch {
	case x == 0:
		return 1
	case x == math.Trunc(x):
		return 0 // exactly 0, unlike math.Sin's result
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// kaiser returns the window times I0(beta), for x from -1 to 1; outside it is constant.
func kaiser(x, beta float64) float64 {
	return besselI0(beta * math.Sqrt(max(1-x*x, 0)))
}

// besselI0 returns the modified Bessel function of the first kind and order zero, by its power series.
func besselI0(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*0x1p-54; k++ {
		half := x / (2 * k)
		term *= half * half
		sum += term
	}
	return sum
}

// alignedFloats returns memory that is aligned to a cache line.
func alignedFloats(n int) []float32 {
	const line = 16
	memory := make([]float32, n+line-1)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(memory))) / 4 % line
	return memory[skip : skip+uintptr(n) : skip+uintptr(n)]
}
