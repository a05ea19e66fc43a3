package resample

// Quality selects the accuracy and the cost of a filter. Measured with tones at seven pairs of rates, with frequencies
// in units of half the lower rate (8 kHz, from 44.1 to 16 kHz):
//
//	         flat within       up to    -3 dB at   aliases and images below       taps, 44.1 to 16 kHz
//	Fast     0.08 dB           0.73     0.88       -68 dB, from 1.17              48
//	Default  0.005 dB          0.81     0.94       -89 dB, from 1.15 (up: 1.18)   96
//	Best     0.003 dB          0.88     0.945      -118 dB, from 1.06             232
//
// Tones between the two frequencies are attenuated. The remainder of tones above 1 aliases below 1. From a lower rate
// to a higher one, the taps do not depend on the rates: 18 (Fast), 32 (Default) and 84 (Best), rounded up to multiples
// of 8.
type Quality uint8

const (
	// Default is swresample's default filter. From 44.1 to 16 kHz, outputs for white noise of full scale are within 2e-7
	// rms of swresample's, and within 1e-5 for all rates.
	Default Quality = iota
	Fast
	Best
	qualities
)

// String returns the quality's name.
func (q Quality) String() string {
	return [...]string{"default", "fast", "best", "unknown"}[min(q, qualities)]
}

// design holds the parameters of a quality's filters: a sinc under a Kaiser window.
type design struct {
	crossings int     // zero crossings of the sinc within the window
	cutoff    float64 // where the response is a half, in units of half the lower rate
	up        float64 // the cutoff when the rate goes up
	beta      float64 // of the window
}

// The Default design is swresample's, which lets images pass when the rate goes up, to keep all frequencies.
var designs = [qualities]design{
	Default: {crossings: 32, cutoff: 0.97, up: 1, beta: 9},
	Fast:    {crossings: 16, cutoff: 0.93, up: 0.93, beta: 6.5},
	Best:    {crossings: 80, cutoff: 0.96, up: 0.96, beta: 12},
}

// factor returns the cutoff in units of half the input's rate. A small increase of the rate gives a value between the
// two cutoffs. Equal rates have no cutoff, and samples stay unchanged.
func (d *design) factor(in, out int) float64 {
	if in == out {
		return 1
	}
	return min(float64(out)/float64(in)*d.cutoff, d.up)
}
