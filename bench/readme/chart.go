package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/internal/chart"
)

// rates is the file of the chart of loaders on photos.
const rates = "docs/rates.svg"

// bars draws the rates on photos as an SVG of horizontal bars, the fastest loader on top. It returns "" if nothing was
// measured.
func (m *measured) bars() string {
	_, work, found := photos(m.files)
	if !found {
		return ""
	}
	c := chart.Chart{Width: 768, X: chart.Axis{Label: "images a second"}}
	for _, p := range slices.Backward(charted(work)) {
		bar := chart.Bar{Label: p.Label, Value: p.Rate, Color: chart.Gray, Note: fmt.Sprintf("%.0f", p.Rate)}
		if strings.HasPrefix(p.Peer, bench.Spool) {
			bar.Color = 0
		}
		c.Bars = append(c.Bars, bar)
	}
	c.Height = float64(len(c.Bars))*27 + 50
	return c.SVG()
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
