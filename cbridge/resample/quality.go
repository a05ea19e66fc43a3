package resample

// Quality is how good a filter is, and how much it costs. Measured with tones at seven pairs of rates, in parts of
// half the lower rate (8 kHz, from 44.1 to 16 kHz):
//
//	         flat within       up to    -3 dB at   aliases and images below       taps, 44.1 to 16 kHz
//	Fast     0.08 dB           0.73     0.88       -68 dB, from 1.17              48
//	Default  0.005 dB          0.81     0.94       -89 dB, from 1.15 (up: 1.18)   96
//	Best     0.003 dB          0.88     0.945      -118 dB, from 1.06             232
//
// Tones in between are weakened, and those above 1 come back below 1 as far as they are left. From a lower rate to a
// higher one the taps are as many as for equal rates: 18, 32 and 84, rounded up to multiples of 8.
type Quality uint8

const (
	// Default is swresample's default filter. From 44.1 to 16 kHz outputs are within 2e-7 rms of its, for white
	// noise of full scale, and within 1e-5 for all rates.
	Default Quality = iota
	Fast
	Best
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
