package metrics

import (
	"cmp"
	"slices"
	"time"
)

// Metric is the values of one name.
type Metric struct {
	Name   string // by OpenTelemetry's conventions, like spool.stage.items
	Unit   string // by UCUM: "s", "By", "1", or what is counted in braces
	Help   string
	Kind   Kind
	Whole  bool      // values are whole numbers
	Bounds []float64 // of a histogram, ascending; a bucket includes its bound
	Points []Point
}

// Kind says how values change.
type Kind int

// The kinds.
const (
	Counter   Kind = iota // only grows
	Gauge                 // of the moment
	Histogram             // a distribution of values, which only grows
)

// Point is a value with its attributes.
type Point struct {
	Attributes []Attribute // sorted by key; each key once
	Start      time.Time   // when counters and histograms began
	Value      float64     // of a histogram: the sum
	Buckets    []uint64    // of a histogram: number of values for each bound, and of those above the last
}

// Count returns the number of values in a histogram.
func (p Point) Count() (n uint64) {
	for _, b := range p.Buckets {
		n += b
	}
	return n
}

// Attribute is a property of a value.
type Attribute struct{ Key, Value string }

// joined returns attributes sorted by key. Of equal keys, the last one holds.
func joined(all ...Attribute) []Attribute {
	slices.Reverse(all)
	slices.SortStableFunc(all, func(a, b Attribute) int { return cmp.Compare(a.Key, b.Key) })
	return slices.CompactFunc(all, func(a, b Attribute) bool { return a.Key == b.Key })
}
