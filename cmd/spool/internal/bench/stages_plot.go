package bench

import (
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/chart"
)

// drawStageSpeeds draws the throughput of each stage alone by its workers, and of the whole by its decoders.
func drawStageSpeeds(name string, r stagesBenched) error {
	c := chart.Chart{Title: "spool bench " + r.Work + " --stages", Width: 768, Height: 480,
		X: chart.Axis{Label: "workers", Log: true, Ticks: chart.Doublings},
		Y: chart.Axis{Label: "samples a second", Log: true}}
	numbers := make(map[string]int)
	add := func(name string, workers int, rate float64) {
		i, ok := numbers[name]
		if !ok {
			i = len(c.Lines)
			numbers[name] = i
			c.Lines = append(c.Lines, chart.Line{Name: name, Color: i, Marks: true})
		}
		c.Lines[i].Points = append(c.Lines[i].Points, chart.Point{X: float64(workers), Y: rate})
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
	return output.WriteFile(name, c.SVG())
}
