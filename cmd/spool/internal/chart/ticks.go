package chart

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"gonum.org/v1/plot"
)

// Powers marks an axis with powers of ten.
type Powers struct{}

// Ticks returns the powers between two numbers.
func (Powers) Ticks(least, most float64) (ticks []plot.Tick) {
	for power := math.Floor(math.Log10(least)); power <= math.Ceil(math.Log10(most)); power++ {
		ticks = append(ticks, plot.Tick{Value: math.Pow(10, power), Label: fmt.Sprintf("1e%+.0f", power)})
	}
	return ticks
}

// Durations marks an axis of nanoseconds with powers of ten, as times.
type Durations struct{}

// Ticks returns the powers between two times.
func (Durations) Ticks(least, most float64) []plot.Tick {
	ticks := Powers{}.Ticks(least, most)
	for i, t := range ticks {
		ticks[i].Label = time.Duration(t.Value).String()
	}
	return ticks
}

// Rounds marks an axis with up to seven round numbers: 1, 2 or 5 times a power of ten apart.
type Rounds struct{}

// Ticks returns the round numbers between two numbers.
func (Rounds) Ticks(least, most float64) (ticks []plot.Tick) {
	step := roundStep(most - least)
	digits := max(0, -int(math.Floor(math.Log10(step))))
	for n := math.Ceil(least / step); n*step <= most*(1+1e-9); n++ {
		ticks = append(ticks, plot.Tick{Value: n * step, Label: strconv.FormatFloat(n*step, 'f', digits, 64)})
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

// EndRound makes an axis of positive values begin at zero and end at a tick.
func EndRound(a *plot.Axis) {
	if !(a.Max > 0) {
		a.Max = 1
	}
	step := roundStep(a.Max)
	a.Min, a.Max, a.Tick.Marker = 0, math.Ceil(a.Max/step)*step, Rounds{}
}
