package parity

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/spoolmedia/spool/cmd/spool/internal/chart"
)

// draw draws a chart: for each profile, the share of samples by their difference, in powers of ten.
func (r *report) draw(name string) error {
	p := chart.New("Difference from "+r.Against+" "+r.Versions[r.Against], "absolute difference of a sample (0 to 255)",
		"share of the samples")
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, chart.Powers{}
	least, most := 1.0, 1
	for _, one := range r.Profiles {
		if samples := one.all.samples(); samples > 0 {
			least, most = min(least, 1/float64(samples)), max(most, one.Max)
		}
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.5, float64(most)+0.5, least/2, 1
	for i, one := range r.Profiles {
		if one.Compared == 0 {
			continue
		}
		line, err := plotter.NewLine(one.steps(most, least/2))
		if err != nil {
			return err
		}
		line.Width, line.Color, line.Dashes = vg.Points(1.5), plotutil.Color(i), plotutil.Dashes(i)
		p.Add(line)
		p.Legend.Add(fmt.Sprintf("%v: mean %.3f, max %d", one.Profile, one.Mean, one.Max), line)
	}
	return chart.Save(name, p, 8*vg.Inch, 5*vg.Inch)
}

// steps returns the outline of the histogram, a column per difference. least replaces 0, which a logarithmic axis does
// not have.
func (p *profileReport) steps(most int, least float64) (outline plotter.XYs) {
	samples := float64(p.all.samples())
	for i, n := range p.all.counts[:most+1] {
		share := max(float64(n)/samples, least)
		outline = append(outline, plotter.XY{X: float64(i) - 0.5, Y: share}, plotter.XY{X: float64(i) + 0.5, Y: share})
	}
	return outline
}
