package page

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"math"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/spoolmedia/spool/cmd/spool/internal/chart"
	"github.com/spoolmedia/spool/pipe/stats"
)

// figure is a chart of a page, as inline SVG.
type figure struct {
	Name, Caption string
	Lines         []key // nil if there is only one
	SVG           template.HTML
}

// key is a line of a legend.
type key struct {
	Name  string
	Color template.CSS
}

// figures draws the charts.
func (h *history) figures() ([]figure, error) {
	spans, stages := h.spans(), h.last().report.Stages
	var keys []key
	for i, s := range stages {
		keys = append(keys, newKey(i, s.Name))
	}
	type drawing struct {
		name  string
		lines []key
		says  string
		draw  func() (*plot.Plot, error)
	}
	drawings := []drawing{
		{"occupancy", keys, "The share of time in which each stage's workers are at work. The highest line is " +
			"the bottleneck.", func() (*plot.Plot, error) {
			return drawStages(spans, len(stages), "at work, %", percents,
				func(s stats.StageReport) float64 { return 100 * s.Occupancy })
		}},
		{"throughput", nil, "Samples that are delivered in batches.", func() (*plot.Plot, error) {
			return drawSpans(spans, "samples a second",
				func(s span) float64 { return float64(s.Stages[len(stages)-1].Items) / s.Elapsed.Seconds() })
		}},
		{"cores", nil, "Processor time of the whole process.", func() (*plot.Plot, error) {
			return drawSpans(spans, "cores in use", func(s span) float64 { return s.cpu.Seconds() / s.Elapsed.Seconds() })
		}},
		{"memory", nil, "Resident memory of the process.", func() (*plot.Plot, error) {
			return drawSpans(spans, "MB", func(s span) float64 { return float64(s.rss) / (1 << 20) })
		}},
		{"queues", keys, "How full the next stage has found each queue so far. If it is empty, the stages before it are " +
			"the bottleneck.", func() (*plot.Plot, error) {
			return drawStages(spans, len(stages), "full, %", percents,
				func(s stats.StageReport) float64 { return 100 * s.Queue })
		}},
		{"service", keys, "The share of a stage's items that a worker completes within a time.",
			func() (*plot.Plot, error) { return drawService(stages) }},
	}
	if len(h.last().report.Moves) > 0 {
		drawings = append(drawings, drawing{"workers", keys, "The number of workers of each stage.",
			func() (*plot.Plot, error) {
				return drawStages(spans, len(stages), "workers", chart.EndRound,
					func(s stats.StageReport) float64 { return float64(s.Workers) })
			}})
	}
	if h.last().stores.Requests > 0 {
		drawings = append(drawings,
			drawing{"network", nil, "Bytes received from stores.", func() (*plot.Plot, error) {
				return drawSpans(spans, "MB a second", func(s span) float64 { return float64(s.bytes) / 1e6 / s.Elapsed.Seconds() })
			}},
			drawing{"requests", []key{newKey(0, "in flight"), newKey(1, "limit")}, "Requests to stores in flight.",
				func() (*plot.Plot, error) {
					return drawRequests(spans)
				}})
	}
	var all []figure
	for _, f := range drawings {
		p, err := f.draw()
		if err != nil {
			return nil, err
		}
		svg, err := drawSVG(p)
		if err != nil {
			return nil, err
		}
		all = append(all, figure{Name: f.name, Caption: f.says, Lines: f.lines, SVG: svg})
	}
	return all, nil
}

// newKey returns the key of the line with that number.
func newKey(number int, name string) key {
	c := color.NRGBAModel.Convert(plotutil.Color(number)).(color.NRGBA)
	return key{name, template.CSS(fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B))} //nolint:gosec // three numbers
}

// newFigure returns an empty chart, whose letters on the page are as large as its text.
func newFigure(x, y string) *plot.Plot {
	p := chart.New("", x, y)
	for _, style := range []*draw.TextStyle{&p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		style.Font.Size = vg.Points(9)
	}
	p.X.Padding, p.Y.Padding = 0, 0
	return p
}

// drawSpans draws one value over time.
func drawSpans(spans []span, unit string, value func(span) float64) (*plot.Plot, error) {
	p := newFigure("seconds", unit)
	err := addSteps(p, 0, spans, value)
	chart.EndRound(&p.Y)
	return p, err
}

// drawRequests draws the requests in flight, and their limit.
func drawRequests(spans []span) (*plot.Plot, error) {
	p := newFigure("seconds", "requests")
	for i, value := range []func(span) float64{
		func(s span) float64 { return float64(s.stores.InFlight) },
		func(s span) float64 { return float64(s.stores.Limit) },
	} {
		if err := addSteps(p, i, spans, value); err != nil {
			return nil, err
		}
	}
	chart.EndRound(&p.Y)
	return p, nil
}

// percents sets an axis to 0 to 100 %.
func percents(a *plot.Axis) { a.Min, a.Max, a.Tick.Marker = 0, 100, chart.Rounds{} }

// drawStages draws a value over time, for each stage.
func drawStages(spans []span, stages int, unit string, axis func(*plot.Axis),
	value func(stats.StageReport) float64) (*plot.Plot, error) {
	p := newFigure("seconds", unit)
	for i := range stages {
		if err := addSteps(p, i, spans, func(s span) float64 { return value(s.Stages[i]) }); err != nil {
			return nil, err
		}
	}
	axis(&p.Y)
	return p, nil
}

// addSteps adds a line that is constant within each span.
func addSteps(p *plot.Plot, number int, spans []span, value func(span) float64) error {
	p.X.Tick.Marker = chart.Rounds{}
	if len(spans) == 0 {
		return nil
	}
	var points plotter.XYs
	for _, s := range spans {
		v := value(s)
		points = append(points, plotter.XY{X: s.from, Y: v}, plotter.XY{X: s.to, Y: v})
	}
	return addLine(p, number, points)
}

// addLine adds a line in the color of that number.
func addLine(p *plot.Plot, number int, points plotter.XYs) error {
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.Color, line.Width = plotutil.Color(number), vg.Points(1.3)
	p.Add(line)
	return nil
}

// drawService draws the share of each stage's items that took at most a given time.
func drawService(stages []stats.StageReport) (*plot.Plot, error) {
	p := newFigure("service time, at most", "items, %")
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, chart.Durations{}
	const least = float64(time.Microsecond)
	most := 1000 * least
	for i, s := range stages {
		var points plotter.XYs
		done := 0.0
		for b := range s.Service.Buckets() {
			level := done
			done += 100 * float64(b.Count) / float64(s.Service.Count())
			at := max(float64(b.To), least)
			points = append(points, plotter.XY{X: at, Y: level}, plotter.XY{X: at, Y: done})
		}
		if len(points) == 0 {
			continue
		}
		if err := addLine(p, i, points); err != nil {
			return nil, err
		}
		most = max(most, points[len(points)-1].X)
	}
	p.X.Min, p.X.Max = least, math.Pow(10, math.Ceil(math.Log10(most)))
	percents(&p.Y)
	return p, nil
}

// drawSVG returns the chart as an element of a page.
func drawSVG(p *plot.Plot) (template.HTML, error) {
	canvas, err := p.WriterTo(4.6*vg.Inch, 2.4*vg.Inch, "svg")
	if err != nil {
		return "", err
	}
	var drawn bytes.Buffer
	if _, err := canvas.WriteTo(&drawn); err != nil {
		return "", err
	}
	_, svg, _ := strings.Cut(drawn.String(), "<svg") // drop the header of a file
	return template.HTML("<svg" + svg), nil          //nolint:gosec // of names that were escaped when they were drawn
}
