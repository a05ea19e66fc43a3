package bench

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/spoolmedia/spool/bench/codec"
	"github.com/spoolmedia/spool/cmd/spool/internal/chart"
)

// drawSteps draws a chart with a bar for each step, the floor at the top, as time per pixel.
func drawSteps(name string, results []codec.Result) error {
	p := chart.New("spool bench codec "+results[0].Codec, "ns a pixel", "")
	var times plotter.Values
	var steps []plot.Tick
	for _, r := range slices.Backward(results) { // the axis goes up
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
		steps = append(steps, plot.Tick{Value: float64(len(times)), Label: label})
		times = append(times, r.NsPerPixel)
	}
	bars, err := plotter.NewBarChart(times, vg.Points(14))
	if err != nil {
		return err
	}
	bars.Horizontal, bars.Color, bars.LineStyle.Width = true, plotutil.Color(2), 0
	p.Add(bars)
	p.X.Min, p.X.Max = 0, 1.05*slices.Max(times)
	p.Y.Tick.Marker = plot.ConstantTicks(steps)
	if results[0].FloorRatio > 0 {
		p.X.Label.Text += "; after the names: as a multiple of " + results[0].Engine
	}
	return chart.Save(name, p, 8*vg.Inch, vg.Length(len(times)+4)*vg.Points(22))
}
