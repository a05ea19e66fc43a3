package bench

import (
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/spoolmedia/spool/cmd/spool/internal/chart"
)

// drawStageSpeeds draws the throughput of each stage alone by its workers, and of the whole by its decoders.
func drawStageSpeeds(name string, r stagesBenched) error {
	p := chart.New("spool bench "+r.Work+" --stages", "workers", "samples a second")
	p.X.Scale = plot.LogScale{}
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, chart.Powers{}
	lines := make(map[string]plotter.XYs)
	names := []string{}
	add := func(name string, workers int, rate float64) {
		if lines[name] == nil {
			names = append(names, name)
		}
		lines[name] = append(lines[name], plotter.XY{X: float64(workers), Y: rate})
	}
	for _, s := range r.Stages {
		for _, speed := range s.Speeds {
			add(s.Name, speed.Workers, speed.Rate)
		}
	}
	for _, x := range r.Rates {
		add("all, predicted", x.Workers, x.Predicted)
		add("all, measured", x.Workers, x.Measured)
	}
	for i, name := range names {
		line, points, err := plotter.NewLinePoints(lines[name])
		if err != nil {
			return err
		}
		line.Color, line.Width = plotutil.Color(i), vg.Points(1.5)
		points.Color, points.Shape = plotutil.Color(i), plotutil.Shape(i)
		p.Add(line, points)
		p.Legend.Add(name, line, points)
	}
	p.X.Tick.Marker = doublings{p.X.Max}
	p.X.Max *= 6 // room for the legend
	return chart.Save(name, p, 8*vg.Inch, 5*vg.Inch)
}

// doublings are the powers of two up to a number.
type doublings struct{ most float64 }

func (d doublings) Ticks(_, _ float64) (ticks []plot.Tick) {
	for n := 1.0; n <= d.most; n *= 2 {
		ticks = append(ticks, plot.Tick{Value: n, Label: strconv.FormatFloat(n, 'f', 0, 64)})
	}
	return ticks
}
