package lerobot

import (
	"maps"
	"math"
	"slices"

	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/nearest"
)

// findOffsets converts delta timestamps to frames.
func (d *DataSet) findOffsets(bad *invalid.Options) {
	d.offsets = map[string][]int{}
	for _, name := range slices.Sorted(maps.Keys(d.options.DeltaTimestamps)) {
		f, ok := d.info.Feature(name)
		if !ok || f.Kind == Other || f.Kind == Text || f.Kind == Language {
			bad.Value("DeltaTimestamps", name, "no feature with windows has this name%s", d.meant(name))
			continue
		}
		deltas := d.options.DeltaTimestamps[name]
		if len(deltas) == 0 {
			bad.Value("DeltaTimestamps", name, "the list is empty")
		}
		for _, delta := range deltas {
			frames := math.RoundToEven(delta * d.info.FPS)
			if !(math.Abs(delta*d.info.FPS-frames)/d.info.FPS <= d.tolerance) || math.Abs(frames) > math.MaxInt32 {
				bad.Value("DeltaTimestamps", name, "%v is no multiple of 1/%v, within %v", delta, d.info.FPS, d.tolerance)
			}
			d.offsets[name] = append(d.offsets[name], int(frames))
		}
	}
}

// meant returns the end of a message about a feature that does not exist.
func (d *DataSet) meant(name string) string {
	var there []string
	for _, f := range d.info.Features {
		there = append(there, f.Name)
	}
	if near := nearest.Word(name, there); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// Deltas returns the window of a feature in seconds, as multiples of 1/fps. It is nil for a feature without one.
func (d *DataSet) Deltas(feature string) []float64 {
	offsets, ok := d.offsets[feature]
	if !ok {
		return nil
	}
	deltas := make([]float64, len(offsets))
	for i, n := range offsets {
		deltas[i] = float64(n) / d.info.FPS
	}
	return deltas
}

// frames returns the frames of a feature's window within the episode of a row.
func (d *DataSet) frames(feature string, r row) []int {
	offsets, ok := d.offsets[feature]
	if !ok {
		return []int{r.frame}
	}
	frames := make([]int, len(offsets))
	for i, n := range offsets {
		frames[i] = min(max(r.frame+n, 0), r.len()-1)
	}
	return frames
}

// padded returns 1 for each frame of a feature's window that is not in the episode of a row, else 0.
func (d *DataSet) padded(feature string, r row) []byte {
	offsets := d.offsets[feature]
	padded := make([]byte, len(offsets))
	for i, n := range offsets {
		if at := r.frame + n; at < 0 || at >= r.len() {
			padded[i] = 1
		}
	}
	return padded
}
