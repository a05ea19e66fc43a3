package main

import (
	"strconv"

	"github.com/spoolmedia/spool/internal/chart"
)

// figure is the file of the plot of throughput from stores.
const figure = "docs/objectstore.svg"

// plot draws the rates by latency as an SVG, with a logarithmic scale of rates. It returns "" if nothing was measured.
func (s stores) plot() string {
	c := chart.Chart{Width: 960, Height: 420, Y: chart.Axis{Label: "images a second", Log: true}}
	for i, peer := range s.peers() {
		line := chart.Line{Name: peer.Label, Color: i, Marks: true}
		for _, work := range s.loads {
			if at := of(work, peer.Peer); at.Rate > 0 {
				line.Points = append(line.Points, chart.Point{X: float64(work.Work.Latency), Y: at.Rate})
			}
		}
		if len(line.Points) > 0 {
			c.Lines = append(c.Lines, line)
		}
	}
	if len(c.Lines) == 0 {
		return ""
	}
	c.X = chart.Axis{Label: "milliseconds that an answer takes", Ticks: func(_, _ float64) (ticks []chart.Tick) {
		for _, work := range s.loads {
			ticks = append(ticks, chart.Tick{At: float64(work.Work.Latency), Label: strconv.Itoa(work.Work.Latency)})
		}
		return ticks
	}}
	return c.SVG()
}
