package bench

import (
	"fmt"

	"github.com/spoolmedia/spool/bench/codec"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/chart"
)

// drawSteps draws a chart with a bar for each step, the floor at the top, as time per pixel.
func drawSteps(name string, results []codec.Result) error {
	c := chart.Chart{Title: "spool bench codec " + results[0].Codec, Width: 768, X: chart.Axis{Label: "ns a pixel"}}
	for _, r := range results {
		if r.NsPerPixel == 0 { // independent of the number of pixels
			continue
		}
		label := r.Step
		if results[0].Files != results[len(results)-1].Files { // several kinds of files
			label = r.Files + ": " + label
		}
		if r.FloorRatio > 0 {
			label += fmt.Sprintf(" %.2f", r.FloorRatio)
		}
		c.Bars = append(c.Bars, chart.Bar{Label: label, Value: r.NsPerPixel})
	}
	if results[0].FloorRatio > 0 {
		c.X.Label += "; after the names: as a multiple of " + results[0].Engine
	}
	c.Height = float64(len(c.Bars)+4) * 22
	return output.WriteFile(name, c.SVG())
}
