package resample

// Quality is how good a filter is, and how much it costs.
type Quality uint8

const (
	Default Quality = iota // swresample's default
	Fast                   // half of its taps
	Best                   // two and a half times its taps
	qualities
)

// String is the quality's name.
func (q Quality) String() string {
	return [...]string{"default", "fast", "best", "unknown"}[min(q, qualities)]
}

// design says what a quality's filters are made of: a sinc under a Kaiser window.
type design struct {
	crossings int     // of the sinc within the window
	cutoff    float64 // at which the response is a half, in parts of half the lower rate
	up        float64 // the same where the rate goes up
	beta      float64 // of the window
}

// Those of Default are swresample's, which lets images pass where the rate goes up rather than cut anything off.
var designs = [qualities]design{
	Default: {crossings: 32, cutoff: 0.97, up: 1, beta: 9},
	Fast:    {crossings: 16, cutoff: 0.93, up: 0.93, beta: 6.5},
	Best:    {crossings: 80, cutoff: 0.96, up: 0.96, beta: 12},
}

// factor is the cutoff in parts of half the input's rate. Rates that lie nearer together than the two cutoffs are in
// between; where they are the same nothing is cut off, and samples stay as they are.
func (d *design) factor(in, out int) float64 {
	if in == out {
		return 1
	}
	return min(float64(out)/float64(in)*d.cutoff, d.up)
}
