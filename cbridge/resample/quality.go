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
	beta      float64 // of the window
}

var designs = [qualities]design{
	Default: {crossings: 32, cutoff: 0.97, beta: 9},
	Fast:    {crossings: 16, cutoff: 0.93, beta: 6.5},
	Best:    {crossings: 80, cutoff: 0.96, beta: 12},
}
