package main

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/spoolmedia/spool/bench"
)

// rates is the file of the chart of loaders on photos.
const rates = "docs/rates.svg"

// bars draws the rates on photos as an SVG of horizontal bars, the fastest loader on top. It returns nil if nothing was
// measured.
func (m *measured) bars() ([]byte, error) {
	_, c, found := photos(m.files)
	if !found {
		return nil, nil
	}
	shown := charted(c)
	own, other := make(plotter.Values, len(shown)), make(plotter.Values, len(shown))
	var names []string
	var ends plotter.XYLabels
	for i, p := range shown {
		if strings.HasPrefix(p.Peer, bench.Spool) {
			own[i] = p.Rate
		} else {
			other[i] = p.Rate
		}
		names = append(names, p.Label+strings.Repeat(" ", 1+len(p.Label)/4)) // room for a viewer's wider font
		ends.XYs = append(ends.XYs, plotter.XY{X: p.Rate, Y: float64(i)})
		ends.Labels = append(ends.Labels, fmt.Sprintf(" %.0f", p.Rate))
	}
	p := plot.New()
	p.X.Label.Text, p.X.Min = "images a second", 0
	for _, part := range []struct {
		values plotter.Values
		fill   color.RGBA
	}{
		{own, color.RGBA{R: 0x1f, G: 0x6f, B: 0xb4, A: 0xff}},
		{other, color.RGBA{R: 0xb0, G: 0xb8, B: 0xc0, A: 0xff}},
	} {
		bar, err := plotter.NewBarChart(part.values, vg.Points(18))
		if err != nil {
			return nil, err
		}
		bar.Horizontal, bar.Color, bar.LineStyle.Width = true, part.fill, 0
		p.Add(bar)
	}
	labels, err := plotter.NewLabels(ends)
	if err != nil {
		return nil, err
	}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Font.Variant, labels.TextStyle[i].YAlign = "Sans", draw.YCenter
	}
	p.Add(labels)
	p.NominalY(names...)
	p.Y.Min, p.Y.Max = -0.5, float64(len(names))-0.5
	for _, style := range []*draw.TextStyle{&p.X.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		style.Font.Variant = "Sans"
	}
	p.X.Max = 1.1 * shown[len(shown)-1].Rate // room for the last label
	canvas, err := p.WriterTo(8*vg.Inch, vg.Length(len(shown))*vg.Points(27)+vg.Points(40), "svg")
	if err != nil {
		return nil, err
	}
	var svg bytes.Buffer
	_, err = canvas.WriteTo(&svg)
	return svg.Bytes(), err
}

// charted returns the loaders of the chart, the slowest first: the ways to use spool, and each other loader at its
// fastest. Bare libraries, which load no batches, are left out.
func charted(c bench.Comparison) (shown []bench.Summary) {
	for _, p := range c.Contestants {
		switch {
		case p.Rate == 0 || strings.HasPrefix(p.Peer, "floor"):
			continue
		case p.Peer == bench.Spool:
			p.Label = "spool, the command"
		case slices.Contains(python, p.Peer):
		case strings.HasPrefix(p.Peer, bench.Spool):
			continue
		}
		name, _, _ := strings.Cut(p.Label, ",")
		same := slices.IndexFunc(shown, func(s bench.Summary) bool {
			return !strings.HasPrefix(p.Peer, bench.Spool) && (s.Label == name || strings.HasPrefix(s.Label, name+","))
		})
		if same < 0 {
			shown = append(shown, p)
		} else if shown[same].Rate < p.Rate {
			shown[same] = p
		}
	}
	slices.SortStableFunc(shown, func(a, b bench.Summary) int { return cmp.Compare(a.Rate, b.Rate) })
	return shown
}
