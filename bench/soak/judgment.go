package main

import (
	"fmt"
	"math"
	"slices"
)

// tolerance is the most by which memory may grow.
const tolerance = 0.02

// warmUp is the share of a run in which memory may grow: decoders are made, heaps get as large as the largest samples
// of all workers at a time need, and code is read when it is first used.
const warmUp = 0.2

// judgment compares the memory of the first quarter after the warm-up with that of the last quarter.
//
// Each is a median of what was resident each second, so a peak or a pause of some seconds does not count. In a run of
// all samples the last may be 2 % above the first. A run of fewer samples is not judged: its warm-up is shorter. Memory
// that is kept for reuse grows with the most blocks of a size that were in use at a time. That is a record, and records
// are broken ever more rarely.
type judgment struct {
	First  float64 `json:"first_mb"`
	Last   float64 `json:"last_mb"`
	Growth float64 `json:"growth"`         // a share
	Noise  float64 `json:"noise"`          // a share: how far medians of parts of these quarters are from theirs
	Own    float64 `json:"growth_private"` // of private memory alone
}

func (j judgment) String() string {
	if j.First == 0 {
		return "too short for a comparison"
	}
	return fmt.Sprintf("resident %.1f MB, at the end %.1f MB: %+.1f %% (noise %.1f %%), private memory alone %+.1f %%",
		j.First, j.Last, 100*j.Growth, 100*j.Noise, 100*j.Own)
}

// judge compares the quarters of a run. The result of a run with few looks is zero.
func judge(looks []look) (j judgment) {
	rest := looks[int(warmUp*float64(len(looks))):]
	quarter := len(rest) / 4
	if quarter < 4 {
		return j
	}
	first, last := rest[:quarter], rest[len(rest)-quarter:]
	j.First, j.Last = median(first, resident), median(last, resident)
	j.Growth = j.Last/j.First - 1
	j.Own = median(last, private)/median(first, private) - 1
	for _, q := range [][]look{first, last} {
		whole := median(q, resident)
		for i := range 4 {
			part := median(q[i*quarter/4:(i+1)*quarter/4], resident)
			j.Noise = max(j.Noise, math.Abs(part/whole-1))
		}
	}
	return j
}

func resident(l look) float64 { return l.resident }
func private(l look) float64  { return l.private }

func median(looks []look, of func(look) float64) float64 {
	values := make([]float64, len(looks))
	for i, l := range looks {
		values[i] = of(l)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// stretches is the most points that the record has of a part.
const stretches = 240

// condense returns the medians of stretches of a run.
func condense(looks []look) (seconds, all, own []float64) {
	n := min(stretches, len(looks))
	for i := range n {
		stretch := looks[i*len(looks)/n : (i+1)*len(looks)/n]
		seconds = append(seconds, rounded(stretch[len(stretch)-1].seconds))
		all = append(all, rounded(median(stretch, resident)))
		own = append(own, rounded(median(stretch, private)))
	}
	return seconds, all, own
}
