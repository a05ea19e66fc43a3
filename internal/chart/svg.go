package chart

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"unicode/utf8"
)

// Sizes in pixels. The width of a character is the mean of common sans-serif fonts, with some room.
const (
	fontSize  = 11
	character = 6.4
	margin    = 10
	lineStep  = 16 // from a line of text to the next
)

// area is the rectangle inside the axes.
type area struct{ left, top, right, bottom float64 }

// SVG returns the chart as an svg element, for a file or a page. Texts are escaped.
func (c *Chart) SVG() string {
	w := new(bytes.Buffer)
	x, y := c.ticks()
	in := c.layout(y)
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g" `+
		`font-family="sans-serif" font-size="%d" fill="#222">`+"\n", c.Width, c.Height, c.Width, c.Height, fontSize)
	w.WriteString(`<rect width="100%" height="100%" fill="#fff"/>` + "\n")
	if c.Title != "" {
		text(w, (in.left+in.right)/2, margin+fontSize, "middle", `font-size="14"`, c.Title)
	}
	c.drawAxes(w, in, x, y)
	for i, b := range c.Bars {
		step := (in.bottom - in.top) / float64(len(c.Bars))
		top, width := in.top+step*(float64(i)+0.2), c.X.position(b.Value)*(in.right-in.left)
		fmt.Fprintf(w, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", in.left, top, width, step*0.6,
			Color(b.Color))
		text(w, in.left+width+6, top+step*0.3+4, "start", "", b.Note)
	}
	for _, l := range c.Lines {
		c.drawLine(w, in, l)
	}
	c.drawLegend(w, in)
	w.WriteString("</svg>\n")
	return w.String()
}

// ticks sets the spans of the axes, and returns their marks. The marks of bars are their names.
func (c *Chart) ticks() (x, y []Tick) {
	var xs, ys []float64
	for _, l := range c.Lines {
		for _, p := range l.Points {
			xs, ys = append(xs, p.X), append(ys, p.Y)
		}
	}
	for i, b := range c.Bars {
		xs = append(xs, 0, 1.05*b.Value)
		y = append(y, Tick{1 - (float64(i)+0.5)/float64(len(c.Bars)), b.Label})
	}
	x = c.X.fit(xs)
	if c.Bars != nil {
		c.Y.Min, c.Y.Max = 0, 1
		return x, y
	}
	return x, c.Y.fit(ys)
}

// layout returns the area that titles, labels and the legend leave.
func (c *Chart) layout(y []Tick) area {
	in := area{left: margin, top: margin, right: c.Width - 2*margin, bottom: c.Height - margin - lineStep - 4}
	if c.Title != "" {
		in.top += 24
	}
	if c.X.Label != "" {
		in.bottom -= lineStep
	}
	if c.Y.Label != "" {
		in.left += lineStep
	}
	labels, names, notes := 0, 0, 0
	for _, t := range y {
		labels = max(labels, utf8.RuneCountInString(t.Label))
	}
	for _, l := range c.Lines {
		names = max(names, utf8.RuneCountInString(l.Name))
	}
	for _, b := range c.Bars {
		notes = max(notes, utf8.RuneCountInString(b.Note))
	}
	in.left += character*float64(labels) + 6
	in.right -= character * float64(notes)
	if names > 0 {
		in.right -= character*float64(names) + 30
	}
	return in
}

// drawAxes draws the marks of both axes with thin lines across the area, and the labels.
func (c *Chart) drawAxes(w *bytes.Buffer, in area, x, y []Tick) {
	line := func(x1, y1, x2, y2 float64, color string) {
		fmt.Fprintf(w, `<path d="M%.1f %.1fL%.1f %.1f" stroke="%s"/>`+"\n", x1, y1, x2, y2, color)
	}
	for _, t := range x {
		at := in.left + c.X.position(t.At)*(in.right-in.left)
		line(at, in.top, at, in.bottom, "#ddd")
		text(w, at, in.bottom+lineStep, "middle", "", t.Label)
	}
	for _, t := range y {
		at := in.bottom - c.Y.position(t.At)*(in.bottom-in.top)
		if c.Bars == nil {
			line(in.left, at, in.right, at, "#ddd")
		}
		text(w, in.left-6, at+4, "end", "", t.Label)
	}
	line(in.left, in.top, in.left, in.bottom, "#222")
	line(in.left, in.bottom, in.right, in.bottom, "#222")
	text(w, (in.left+in.right)/2, c.Height-margin, "middle", "", c.X.Label)
	middle := (in.top + in.bottom) / 2
	text(w, margin+4, middle, "middle", fmt.Sprintf(`transform="rotate(-90 %d %.1f)"`, margin+4, middle), c.Y.Label)
}

// drawLine draws the points of a line.
func (c *Chart) drawLine(w *bytes.Buffer, in area, l Line) {
	if len(l.Points) == 0 {
		return
	}
	var path, marks strings.Builder
	for _, p := range l.Points {
		x := in.left + c.X.position(p.X)*(in.right-in.left)
		y := in.bottom - c.Y.position(p.Y)*(in.bottom-in.top)
		fmt.Fprintf(&path, " %.1f,%.1f", x, y)
		if l.Marks {
			fmt.Fprintf(&marks, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", x, y, Color(l.Color))
		}
	}
	fmt.Fprintf(w, `<polyline points="%s" fill="none" stroke="%s" stroke-width="1.6"/>`+"\n%s", path.String()[1:],
		Color(l.Color), marks.String())
}

// drawLegend lists the names of the lines beside the area.
func (c *Chart) drawLegend(w *bytes.Buffer, in area) {
	at := in.top + lineStep/2
	for _, l := range c.Lines {
		if l.Name == "" {
			continue
		}
		fmt.Fprintf(w, `<path d="M%.1f %.1fh16" stroke="%s" stroke-width="3"/>`+"\n", in.right+8, at, Color(l.Color))
		text(w, in.right+28, at+4, "start", "", l.Name)
		at += lineStep
	}
}

// text writes a text, if there is one.
func text(w *bytes.Buffer, x, y float64, anchor, attributes, s string) {
	if s == "" {
		return
	}
	if attributes != "" {
		attributes = " " + attributes
	}
	fmt.Fprintf(w, `<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>`+"\n", x, y, anchor, attributes,
		html.EscapeString(s))
}
