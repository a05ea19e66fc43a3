package chart

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Axis maps values to positions. Without Min and Max it spans the values of the chart, or the powers of ten around
// them.
type Axis struct {
	Label    string
	Min, Max float64
	Log      bool                             // logarithmic; all values are positive
	Ticks    func(least, most float64) []Tick // nil: Rounds, or Powers if Log
}

// Tick is a mark of an axis.
type Tick struct {
	At    float64
	Label string
}

// fit sets the span of an axis without one, and returns the marks within the span.
func (a *Axis) fit(values []float64) []Tick {
	if a.Min == a.Max {
		a.Min, a.Max = math.Inf(1), math.Inf(-1)
		for _, v := range values {
			a.Min, a.Max = min(a.Min, v), max(a.Max, v)
		}
		switch {
		case a.Max <= a.Min && a.Log: // no value, or one
			a.Min, a.Max = min(a.Min, 1), max(a.Max, 10)
		case a.Max <= a.Min:
			a.Min, a.Max = min(a.Min, 0), max(a.Max, 1)
		}
		if a.Log && a.Ticks == nil {
			a.Min, a.Max = math.Pow(10, math.Floor(math.Log10(a.Min))), math.Pow(10, math.Ceil(math.Log10(a.Max)))
		}
	}
	marks := a.Ticks
	if marks == nil && a.Log {
		marks = Powers
	} else if marks == nil {
		marks = Rounds
	}
	var inside []Tick
	for _, t := range marks(a.Min, a.Max) {
		if at := a.position(t.At); at >= -1e-9 && at <= 1+1e-9 {
			inside = append(inside, t)
		}
	}
	return inside
}

// position returns where a value is on the axis, from 0 to 1.
func (a *Axis) position(v float64) float64 {
	if a.Log {
		return math.Log(v/a.Min) / math.Log(a.Max/a.Min)
	}
	return (v - a.Min) / (a.Max - a.Min)
}

// EndRound makes the axis begin at zero and end at a tick at or above the largest value.
func (a *Axis) EndRound(largest float64) {
	if !(largest > 0) {
		largest = 1
	}
	step := roundStep(largest)
	a.Min, a.Max = 0, math.Ceil(largest/step)*step
}

// Powers returns the powers of ten of a span.
func Powers(least, most float64) (ticks []Tick) {
	for power := math.Floor(math.Log10(least)); power <= math.Ceil(math.Log10(most)); power++ {
		label := fmt.Sprintf("1e%+.0f", power)
		if -4 < power && power < 7 {
			label = strconv.FormatFloat(math.Pow(10, power), 'f', int(max(0, -power)), 64)
		}
		ticks = append(ticks, Tick{math.Pow(10, power), label})
	}
	return ticks
}

// Doublings returns the powers of two from 1 to the end of a span.
func Doublings(_, most float64) (ticks []Tick) {
	for n := 1.0; n <= most; n *= 2 {
		ticks = append(ticks, Tick{n, strconv.FormatFloat(n, 'f', 0, 64)})
	}
	return ticks
}

// Durations returns the powers of ten of a span of nanoseconds, as times.
func Durations(least, most float64) []Tick {
	ticks := Powers(least, most)
	for i, t := range ticks {
		ticks[i].Label = time.Duration(t.At).String()
	}
	return ticks
}

// Rounds returns up to seven round numbers of a span: 1, 2 or 5 times a power of ten apart.
func Rounds(least, most float64) (ticks []Tick) {
	step := roundStep(most - least)
	digits := max(0, -int(math.Floor(math.Log10(step))))
	for n := math.Ceil(least / step); n*step <= most*(1+1e-9); n++ {
		ticks = append(ticks, Tick{n * step, strconv.FormatFloat(n*step, 'f', digits, 64)})
	}
	return ticks
}

// roundStep returns a round step, of which at most six make the length.
func roundStep(length float64) float64 {
	if !(length > 0) {
		return 1
	}
	step := math.Pow(10, math.Floor(math.Log10(length/6)))
	for _, more := range []float64{2, 2.5, 2} { // 2, 5, 10
		if length/step <= 6*(1+1e-9) {
			break
		}
		step *= more
	}
	return step
}
