package parity

import (
	"fmt"

	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/chart"
)

// draw draws a chart: for each profile, the share of samples by their difference, in powers of ten.
func (r *report) draw(name string) error {
	c := chart.Chart{Title: "Difference from " + r.Against + " " + r.Versions[r.Against], Width: 768, Height: 480,
		X: chart.Axis{Label: "absolute difference of a sample (0 to 255)"},
		Y: chart.Axis{Label: "share of the samples", Log: true, Max: 1}}
	least, most := 1.0, 1
	for _, one := range r.Profiles {
		if samples := one.all.samples(); samples > 0 {
			least, most = min(least, 1/float64(samples)), max(most, one.Max)
		}
	}
	c.X.Min, c.X.Max, c.Y.Min = -0.5, float64(most)+0.5, least/2
	for i, one := range r.Profiles {
		if one.Compared == 0 {
			continue
		}
		c.Lines = append(c.Lines, chart.Line{Color: i, Points: one.steps(most, least/2),
			Name: fmt.Sprintf("%v: mean %.3f, max %d", one.Profile, one.Mean, one.Max)})
	}
	return output.WriteFile(name, c.SVG())
}

// steps returns the outline of the histogram, a column per difference. least replaces 0, which a logarithmic axis does
// not have.
func (p *profileReport) steps(most int, least float64) (outline []chart.Point) {
	samples := float64(p.all.samples())
	for i, n := range p.all.counts[:most+1] {
		share := max(float64(n)/samples, least)
		outline = append(outline, chart.Point{X: float64(i) - 0.5, Y: share}, chart.Point{X: float64(i) + 0.5, Y: share})
	}
	return outline
}
