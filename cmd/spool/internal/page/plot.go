package page

import (
	"html/template"
	"math"
	"time"

	"github.com/spoolmedia/spool/internal/chart"
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
func (h *history) figures() []figure {
	spans, stages := h.spans(), h.last().report.Stages
	var keys []key
	for i, s := range stages {
		keys = append(keys, newKey(i, s.Name))
	}
	all := []figure{
		{"occupancy", "The share of time in which each stage's workers are at work. The highest line is " +
			"the bottleneck.", keys,
			drawStages(spans, len(stages), percents("at work, %"),
				func(s stats.StageReport) float64 { return 100 * s.Occupancy })},
		{"throughput", "Samples that are delivered in batches.", nil,
			drawSpans(spans, "samples a second",
				func(s span) float64 { return float64(s.Stages[len(stages)-1].Items) / s.Elapsed.Seconds() })},
		{"cores", "Processor time of the whole process.", nil,
			drawSpans(spans, "cores in use", func(s span) float64 { return s.cpu.Seconds() / s.Elapsed.Seconds() })},
		{"memory", "Resident memory of the process.", nil,
			drawSpans(spans, "MB", func(s span) float64 { return float64(s.rss) / (1 << 20) })},
		{"queues", "How full the next stage has found each queue so far. If it is empty, the stages before it are " +
			"the bottleneck.", keys,
			drawStages(spans, len(stages), percents("full, %"),
				func(s stats.StageReport) float64 { return 100 * s.Queue })},
		{"service", "The share of a stage's items that a worker completes within a time.", keys, drawService(stages)},
	}
	if len(h.last().report.Moves) > 0 {
		all = append(all, figure{"workers", "The number of workers of each stage.", keys,
			drawStages(spans, len(stages), chart.Axis{Label: "workers"},
				func(s stats.StageReport) float64 { return float64(s.Workers) })})
	}
	if h.last().stores.Requests > 0 {
		all = append(all,
			figure{"network", "Bytes received from stores.", nil,
				drawSpans(spans, "MB a second",
					func(s span) float64 { return float64(s.bytes) / 1e6 / s.Elapsed.Seconds() })},
			figure{"requests", "Requests to stores in flight.", []key{newKey(0, "in flight"), newKey(1, "limit")},
				drawSpans(spans, "requests",
					func(s span) float64 { return float64(s.stores.InFlight) },
					func(s span) float64 { return float64(s.stores.Limit) })})
	}
	return all
}

// newKey returns the key of the line with that number.
func newKey(number int, name string) key {
	return key{name, template.CSS(chart.Color(number))} //nolint:gosec // a color
}

// percents returns an axis from 0 to 100 %.
func percents(label string) chart.Axis { return chart.Axis{Label: label, Max: 100} }

// drawSpans draws values over time.
func drawSpans(spans []span, unit string, values ...func(span) float64) template.HTML {
	return drawSteps(spans, chart.Axis{Label: unit}, values)
}

// drawStages draws a value over time, for each stage.
func drawStages(spans []span, stages int, y chart.Axis, value func(stats.StageReport) float64) template.HTML {
	values := make([]func(span) float64, stages)
	for i := range values {
		values[i] = func(s span) float64 { return value(s.Stages[i]) }
	}
	return drawSteps(spans, y, values)
}

// drawSteps draws a line for each value, which is constant within each span. A Y axis without a span ends at a round
// number.
func drawSteps(spans []span, y chart.Axis, values []func(span) float64) template.HTML {
	var lines []chart.Line
	largest := 0.0
	for i, value := range values {
		line := chart.Line{Color: i}
		for _, s := range spans {
			v := value(s)
			largest = max(largest, v)
			line.Points = append(line.Points, chart.Point{X: s.from, Y: v}, chart.Point{X: s.to, Y: v})
		}
		lines = append(lines, line)
	}
	if y.Max == 0 {
		y.EndRound(largest)
	}
	return draw(chart.Axis{Label: "seconds"}, y, lines)
}

// drawService draws the share of each stage's items that took at most a given time.
func drawService(stages []stats.StageReport) template.HTML {
	const least = float64(time.Microsecond)
	most := 1000 * least
	var lines []chart.Line
	for i, s := range stages {
		line := chart.Line{Color: i}
		done := 0.0
		for b := range s.Service.Buckets() {
			level := done
			done += 100 * float64(b.Count) / float64(s.Service.Count())
			at := max(float64(b.To), least)
			line.Points = append(line.Points, chart.Point{X: at, Y: level}, chart.Point{X: at, Y: done})
			most = max(most, at)
		}
		lines = append(lines, line)
	}
	x := chart.Axis{Label: "service time, at most", Log: true, Min: least, Max: math.Pow(10, math.Ceil(math.Log10(most))),
		Ticks: chart.Durations}
	return draw(x, percents("items, %"), lines)
}

// draw returns the chart as an element of a page.
func draw(x, y chart.Axis, lines []chart.Line) template.HTML {
	c := chart.Chart{Width: 440, Height: 230, X: x, Y: y, Lines: lines}
	return template.HTML(c.SVG()) //nolint:gosec // its texts are escaped
}
