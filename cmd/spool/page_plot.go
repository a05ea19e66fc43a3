package main

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/spoolmedia/spool/pipe"
)

// figure is a chart of a page, as SVG to be set into it.
type figure struct {
	Name, Says string
	Lines      []key // nil where there is one
	SVG        template.HTML
}

// key says which line is whose.
type key struct {
	Name  string
	Color template.CSS
}

// figures draws the history.
func (h *history) figures() ([]figure, error) {
	var keys []key
	for i, s := range h.last().report.Stages {
		c := color.NRGBAModel.Convert(plotutil.Color(i)).(color.NRGBA)
		keys = append(keys, key{s.Name, template.CSS(fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B))}) //nolint:gosec // three numbers
	}
	var all []figure
	for _, f := range []struct {
		name  string
		lines []key
		says  string
		draw  func() (*plot.Plot, error)
	}{
		{"occupancy", keys, "How much of the time each stage's workers are at work. The one at the top limits.", func() (*plot.Plot, error) {
			return h.stages("at work, %", func(s pipe.StageReport) float64 { return 100 * s.Occupancy })
		}},
		{"throughput", nil, "Samples that become part of a batch.", func() (*plot.Plot, error) {
			return h.line("samples a second", func(before, now moment) float64 {
				r := now.report.Since(before.report)
				return float64(r.Stages[len(r.Stages)-1].Items) / r.Elapsed.Seconds()
			})
		}},
		{"cores", nil, "Processor time of the whole process.", func() (*plot.Plot, error) {
			return h.line("cores in use", func(before, now moment) float64 {
				return (now.cpu - before.cpu).Seconds() / (now.report.Elapsed - before.report.Elapsed).Seconds()
			})
		}},
		{"memory", nil, "What the process has resident.", func() (*plot.Plot, error) {
			return h.line("MB", func(_, now moment) float64 { return float64(now.rss) / (1 << 20) })
		}},
		{"queues", keys, "How full the next stage has found each queue so far. An empty one in front of a stage says that those before limit.", func() (*plot.Plot, error) {
			return h.stages("full, %", func(s pipe.StageReport) float64 { return 100 * s.Queue })
		}},
		{"service", keys, "How many of its items a stage is done with within a time, a worker each.", h.service},
	} {
		p, err := f.draw()
		if err != nil {
			return nil, err
		}
		svg, err := drawSVG(p)
		if err != nil {
			return nil, err
		}
		all = append(all, figure{Name: f.name, Says: f.says, Lines: f.lines, SVG: svg})
	}
	return all, nil
}

// line is a chart of one value over time.
func (h *history) line(unit string, value func(before, now moment) float64) (*plot.Plot, error) {
	p := newChart("", "seconds", unit)
	p.X.Min, p.Y.Min = 0, 0
	return p, h.plot(p, 0, value)
}

// stages is a chart of a line for each stage, of what it did between two moments.
func (h *history) stages(unit string, value func(pipe.StageReport) float64) (*plot.Plot, error) {
	p := newChart("", "seconds", unit)
	p.X.Min, p.Y.Min, p.Y.Max = 0, 0, 100
	for i := range h.last().report.Stages {
		err := h.plot(p, i, func(before, now moment) float64 {
			return value(now.report.Since(before.report).Stages[i])
		})
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// plot draws a line through all moments, of the time between which the value is.
func (h *history) plot(p *plot.Plot, color int, value func(before, now moment) float64) error {
	var points plotter.XYs
	before := h.moments[0]
	for _, now := range h.moments[1:] {
		if now.report.Elapsed <= before.report.Elapsed {
			continue
		}
		points = append(points, plotter.XY{X: now.report.Elapsed.Seconds(), Y: value(before, now)})
		before = now
	}
	if len(points) == 0 {
		return nil
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.Color, line.Width = plotutil.Color(color), vg.Points(1.5)
	p.Add(line)
	return nil
}

// service is a chart of how many of each stage's items took no longer than a time.
func (h *history) service() (*plot.Plot, error) {
	p := newChart("", "milliseconds, at most", "items, %")
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, powers{}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 1e-3, 1, 0, 100
	for i, s := range h.last().report.Stages {
		var points plotter.XYs
		done := 0.0
		for b := range s.Service.Buckets() {
			done += float64(b.Count)
			points = append(points, plotter.XY{X: max(b.To.Seconds()*1e3, p.X.Min), Y: 100 * done / float64(s.Service.Count())})
		}
		if len(points) == 0 {
			continue
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width, line.StepStyle = plotutil.Color(i), vg.Points(1.5), plotter.PreStep
		p.Add(line)
		p.X.Max = max(p.X.Max, points[len(points)-1].X)
	}
	p.X.Max = math.Pow(10, math.Ceil(math.Log10(p.X.Max)))
	return p, nil
}

// drawSVG is the chart as an element of a page.
func drawSVG(p *plot.Plot) (template.HTML, error) {
	canvas, err := p.WriterTo(6.4*vg.Inch, 2.8*vg.Inch, "svg")
	if err != nil {
		return "", err
	}
	var drawn bytes.Buffer
	if _, err := canvas.WriteTo(&drawn); err != nil {
		return "", err
	}
	_, svg, _ := strings.Cut(drawn.String(), "<svg") // what stands before is of a file
	return template.HTML("<svg" + svg), nil          //nolint:gosec // of names that were escaped when they were drawn
}
