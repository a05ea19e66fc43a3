package main

import (
	"bytes"
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/spoolmedia/spool/bench"
)

// figure is where the plot of what stores give lies.
const figure = "docs/objectstore.svg"

// stores is what was measured of loading from stores: of each latency the newest, least first, and the clients' requests.
type stores struct {
	result   *bench.Result // of the highest latency
	loads    []bench.Comparison
	requests *bench.Comparison
}

func storesOf(current []*bench.Result) (s stores) {
	for _, r := range current {
		for _, c := range r.Works {
			switch c.Work.Kind {
			case bench.Remote:
				s.loads, s.result = append(s.loads, c), r
			case bench.Requests:
				s.requests = &c
			}
		}
	}
	slices.SortFunc(s.loads, func(a, b bench.Comparison) int { return a.Work.Latency - b.Work.Latency })
	return s
}

// peers are the loaders, in the order in which they were measured.
func (s stores) peers() (found []bench.Summary) {
	for _, c := range slices.Backward(s.loads) {
		for _, p := range c.Contestants {
			if !slices.ContainsFunc(found, func(f bench.Summary) bool { return f.Peer == p.Peer }) {
				p.Label, _, _ = strings.Cut(p.Label, ", 3") // the setting is another one at each latency
				p.Label, _, _ = strings.Cut(p.Label, ", 6")
				found = append(found, p)
			}
		}
	}
	return found
}

// rate is a loader's at a latency; 0 when it was not measured.
func rate(c bench.Comparison, peer string) float64 {
	for _, p := range c.Contestants {
		if p.Peer == peer {
			return p.Rate
		}
	}
	return 0
}

// write is a row a loader, a column a latency, and the plot, by the path it has from the file.
func (s stores) write(out *strings.Builder, plotted string) {
	if len(s.loads) == 0 {
		return
	}
	w := s.loads[0].Work
	fmt.Fprintf(out, "\nPhotos from an object store: pictures/s by how late its answers are, %d photos (%s) to %dx%d, batches of %d, %d workers, server and\n"+
		"clients on %d cores (`make bench-objectstore`; commit %.10s).\n\n", w.Pictures, w.Set, w.Size, w.Size, w.Batch, w.Workers, s.result.Machine.Cores, s.result.Commit)
	head, rule := "| |", "|---|"
	for _, c := range s.loads {
		head, rule = fmt.Sprintf("%s %d ms |", head, c.Work.Latency), rule+"--:|"
	}
	last := s.loads[len(s.loads)-1]
	for _, c := range s.loads {
		if c.Work.Latency == 100 {
			last = c
		}
	}
	fmt.Fprintf(out, "%s at %d ms `spool run` has | CPU ms a picture |\n%s--:|--:|\n", head, last.Work.Latency, rule)
	for _, p := range s.peers() {
		label := p.Label
		if strings.HasPrefix(p.Peer, bench.Spool) {
			label = "**" + label + "**"
		}
		fmt.Fprintf(out, "| %s |", label)
		for _, c := range s.loads {
			fmt.Fprintf(out, " %s |", unless0("%.0f", rate(c, p.Peer)))
		}
		fmt.Fprintf(out, " %s | %.2f |\n", ratio(last, bench.Spool, p.Peer), p.CPU)
	}
	if s.requests != nil {
		var costs []string
		for _, p := range s.requests.Contestants {
			costs = append(costs, fmt.Sprintf("%s %.0f", p.Label, 1000*p.CPU))
		}
		fmt.Fprintf(out, "\nA GET of a photo costs its client, in microseconds of CPU: %s.\n", strings.Join(costs, ", "))
	}
	fmt.Fprintf(out, "\n![pictures a second by latency](%s)\n", plotted)
}

// plot draws it, the rates by their logarithm; nil when nothing was measured.
func (s stores) plot() ([]byte, error) {
	if len(s.loads) == 0 {
		return nil, nil
	}
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = "milliseconds that an answer takes", "pictures a second"
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.XOffs, p.Legend.YOffs = true, -vg.Points(4), -vg.Points(4)
	p.Add(plotter.NewGrid())
	for i, peer := range s.peers() {
		var points plotter.XYs
		for _, c := range s.loads {
			if r := rate(c, peer.Peer); r > 0 {
				points = append(points, plotter.XY{X: float64(c.Work.Latency), Y: r})
			}
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = colours[i%len(colours)], vg.Points(1.5)
		marks.Color, marks.Shape = line.Color, draw.CircleGlyph{}
		p.Add(line, marks)
		p.Legend.Add(peer.Label, line, marks)
	}
	p.Y.Max *= 12 // room for the legend
	canvas := vgsvg.New(18*vg.Centimeter, 12*vg.Centimeter)
	p.Draw(draw.New(canvas))
	var text bytes.Buffer
	_, err := canvas.WriteTo(&text)
	return text.Bytes(), err
}

// colours are those of Okabe and Ito, which all eyes tell apart.
var colours = []color.Color{
	color.RGBA{0, 0, 0, 255}, color.RGBA{0, 114, 178, 255}, color.RGBA{86, 180, 233, 255}, color.RGBA{0, 158, 115, 255},
	color.RGBA{213, 94, 0, 255}, color.RGBA{204, 121, 167, 255}, color.RGBA{230, 159, 0, 255}, color.RGBA{128, 128, 128, 255}, color.RGBA{150, 75, 0, 255},
}
