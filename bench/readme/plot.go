package main

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// figure is where the plot of what stores give lies.
const figure = "docs/objectstore.svg"

// The plot's own area, in the picture's pixels: labels stand right of it.
const (
	left, top, right, bottom = 56, 16, 540, 396
	wide, high               = 890, 440
)

// colours are told apart by all eyes (Okabe and Ito's, and grey and brown), and seen on white and on black.
var colours = []string{"#d55e00", "#0072b2", "#56b4e9", "#009e73", "#cc79a7", "#e69f00", "#808080", "#96522d", "#7b68ee"}

// style follows who looks: pages are dark or light.
const style = `<style>
text { font: 12px sans-serif; fill: #1f2328 }
.grid { stroke: #8888; stroke-width: .5 }
.line { fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
</style>
`

// point is where something lies in the picture.
type point struct{ x, y float64 }

// series is a loader's line. Its label stands beside the last point, at a height where no other stands.
type series struct {
	label, colour string
	points        []point
	at            float64
}

// plot draws the rates by latency, as an SVG; nil when nothing was measured. The scale of rates is logarithmic.
func (s stores) plot() []byte {
	low, most := s.span()
	if most == 0 {
		return nil
	}
	x := func(ms int) float64 {
		return left + float64(ms)/float64(max(1, s.loads[len(s.loads)-1].Work.Latency))*(right-left)
	}
	y := func(rate float64) float64 {
		return bottom - (math.Log10(rate)-low)/(most-low)*(bottom-top)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n<title>Pictures a second by latency</title>\n%s", wide, high, style)
	for decade := low; decade <= most; decade++ {
		for digit := 1.0; digit < 10 && (decade < most || digit == 1); digit++ {
			rate := digit * math.Pow(10, decade)
			fmt.Fprintf(&out, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", left, y(rate), right)
			if digit == 1 {
				fmt.Fprintf(&out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.0f</text>\n", left-6, y(rate)+4, rate)
			}
		}
	}
	for _, c := range s.loads {
		fmt.Fprintf(&out, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>\n<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n",
			x(c.Work.Latency), top, bottom, x(c.Work.Latency), bottom+16, c.Work.Latency)
	}
	fmt.Fprintf(&out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">milliseconds that an answer takes</text>\n", (left+right)/2, high-8)
	fmt.Fprintf(&out, "<text transform=\"translate(12 %d) rotate(-90)\" text-anchor=\"middle\">pictures a second</text>\n", (top+bottom)/2)
	for _, line := range s.series(x, y) {
		var path []string
		for _, p := range line.points {
			path = append(path, fmt.Sprintf("%.1f %.1f", p.x, p.y))
			fmt.Fprintf(&out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", p.x, p.y, line.colour)
		}
		last := line.points[len(line.points)-1]
		fmt.Fprintf(&out, "<path class=\"line\" stroke=\"%s\" d=\"M%s\"/>\n", line.colour, strings.Join(path, "L"))
		fmt.Fprintf(&out, "<path class=\"grid\" d=\"M%.1f %.1fL%d %.1f\"/>\n", last.x, last.y, right+22, line.at)
		fmt.Fprintf(&out, "<rect x=\"%d\" y=\"%.1f\" width=\"10\" height=\"10\" fill=\"%s\"/>\n", right+24, line.at-5, line.colour)
		fmt.Fprintf(&out, "<text x=\"%d\" y=\"%.1f\">%s</text>\n", right+38, line.at+4, html.EscapeString(line.label))
	}
	out.WriteString("</svg>\n")
	return []byte(out.String())
}

// span is the powers of ten between which all rates lie.
func (s stores) span() (low, most float64) {
	lowest, highest := math.Inf(1), 0.0
	for _, c := range s.loads {
		for _, p := range c.Contestants {
			if p.Rate > 0 {
				lowest, highest = min(lowest, p.Rate), max(highest, p.Rate)
			}
		}
	}
	if highest == 0 {
		return 0, 0
	}
	low = math.Floor(math.Log10(lowest))
	return low, max(low+1, math.Ceil(math.Log10(highest)))
}

// series are the loaders that have figures.
func (s stores) series(x func(ms int) float64, y func(rate float64) float64) (all []series) {
	for i, peer := range s.peers() {
		line := series{label: peer.Label, colour: colours[i%len(colours)]}
		for _, c := range s.loads {
			if p := of(c, peer.Peer); p.Rate > 0 {
				line.points = append(line.points, point{x(c.Work.Latency), y(p.Rate)})
			}
		}
		if len(line.points) > 0 {
			line.at = line.points[len(line.points)-1].y
			all = append(all, line)
		}
	}
	const apart = 17 // of labels
	slices.SortStableFunc(all, func(a, b series) int { return cmp.Compare(a.at, b.at) })
	for i := 1; i < len(all); i++ {
		all[i].at = max(all[i].at, all[i-1].at+apart)
	}
	return all
}
