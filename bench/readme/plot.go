package main

import (
	"bytes"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// figure is the file of the plot of throughput from stores.
const figure = "docs/objectstore.svg"

// plot draws the rates by latency as an SVG, with a logarithmic scale of rates. It returns nil if nothing was measured.
func (s stores) plot() ([]byte, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "milliseconds that an answer takes", "images a second"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	// right of the lines, since text may be wider in a viewer
	p.Legend.Top, p.Legend.Left, p.Legend.XOffs = true, true, 5.6*vg.Inch
	for _, style := range []*draw.TextStyle{&p.Legend.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle,
		&p.X.Tick.Label, &p.Y.Tick.Label} {
		style.Font.Variant = "Sans"
	}
	drawn := false
	for i, peer := range s.peers() {
		var rates plotter.XYs
		for _, c := range s.loads {
			if at := of(c, peer.Peer); at.Rate > 0 {
				rates = append(rates, plotter.XY{X: float64(c.Work.Latency), Y: at.Rate})
			}
		}
		if len(rates) == 0 {
			continue
		}
		line, points, err := plotter.NewLinePoints(rates)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = plotutil.Color(i), vg.Points(1.5)
		points.Color, points.Shape = plotutil.Color(i), plotutil.Shape(i)
		line.Dashes = plotutil.Dashes(i / len(plotutil.DefaultColors))
		p.Add(line, points)
		p.Legend.Add(peer.Label, line, points)
		drawn = true
	}
	if !drawn {
		return nil, nil
	}
	var latencies []plot.Tick
	for _, c := range s.loads {
		latencies = append(latencies, plot.Tick{Value: float64(c.Work.Latency), Label: strconv.Itoa(c.Work.Latency)})
	}
	p.X.Tick.Marker = plot.ConstantTicks(latencies)
	p.X.Max *= 1.8 // room for the legend
	canvas, err := p.WriterTo(11*vg.Inch, 5*vg.Inch, "svg")
	if err != nil {
		return nil, err
	}
	var svg bytes.Buffer
	_, err = canvas.WriteTo(&svg)
	return svg.Bytes(), err
}
