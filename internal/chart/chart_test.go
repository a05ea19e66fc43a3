package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// element is an element of a drawing.
type element struct {
	name  string
	attrs map[string]string
	text  string
}

// parse reads a drawing by Go's XML parser.
func parse(t *testing.T, svg string) (all []element) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err, svg)
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			all = append(all, e)
		case xml.CharData:
			if len(all) > 0 {
				all[len(all)-1].text += strings.TrimSpace(string(token))
			}
		}
	}
}

// texts returns the texts of a drawing.
func texts(all []element) (found []string) {
	for _, e := range all {
		if e.name == "text" {
			found = append(found, e.text)
		}
	}
	return found
}

// number returns a numeric attribute.
func (e element) number(t *testing.T, name string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(e.attrs[name], 64)
	require.NoError(t, err, name)
	return n
}

// The points of a line are where the axes' marks are, and every name is shown as text.
func TestLines(t *testing.T) {
	c := Chart{Title: "a <title> & more", Width: 400, Height: 300, X: Axis{Label: "x"}, Y: Axis{Label: "y", Log: true},
		Lines: []Line{{Name: "<script>", Marks: true, Points: []Point{{0, 1}, {1, 10}, {2, 100}}}, {Color: 1}}}
	all := parse(t, c.SVG())
	assert.Equal(t, []string{"a <title> & more", "0.0", "0.5", "1.0", "1.5", "2.0", "1", "10", "100", "x", "y",
		"<script>"}, texts(all))
	assert.Equal(t, "0 0 400 300", all[0].attrs["viewBox"])
	var lines [][]string
	var dots []element
	marks := map[string]element{}
	for _, e := range all {
		switch e.name {
		case "polyline":
			lines = append(lines, strings.Fields(e.attrs["points"]))
			assert.Equal(t, Color(0), e.attrs["stroke"])
		case "circle":
			dots = append(dots, e)
		case "text":
			marks[e.text] = e
		}
	}
	require.Len(t, lines, 1, "a line without points is not drawn")
	require.Len(t, dots, 3)
	for i, mark := range []struct{ x, y string }{{"0.0", "1"}, {"1.0", "10"}, {"2.0", "100"}} {
		assert.InDelta(t, marks[mark.x].number(t, "x"), dots[i].number(t, "cx"), 0.11)
		assert.InDelta(t, marks[mark.y].number(t, "y")-4, dots[i].number(t, "cy"), 0.11)
		assert.Equal(t, dots[i].attrs["cx"]+","+dots[i].attrs["cy"], lines[0][i])
	}
	assert.Greater(t, dots[0].number(t, "cy"), dots[2].number(t, "cy"), "up")
}

// Bars are as long as their values, from the top in order.
func TestBars(t *testing.T) {
	c := Chart{Width: 400, Height: 200, Bars: []Bar{{Label: "first", Value: 4, Note: "4 s"},
		{Label: "second", Value: 2}, {Label: "none"}}}
	all := parse(t, c.SVG())
	var bars []element
	for _, e := range all {
		if e.name == "rect" && e.attrs["fill"] == Color(0) {
			bars = append(bars, e)
		}
	}
	require.Len(t, bars, 3)
	assert.InDelta(t, bars[0].number(t, "width"), 2*bars[1].number(t, "width"), 0.11)
	assert.Zero(t, bars[2].number(t, "width"))
	assert.Less(t, bars[0].number(t, "y"), bars[1].number(t, "y"))
	assert.Subset(t, texts(all), []string{"first", "second", "none", "4 s"})
}

// Charts of nothing, of one value and of equal values are drawings without NaN.
func TestDegenerate(t *testing.T) {
	for _, c := range []Chart{
		{},
		{Lines: []Line{{Points: []Point{{0, 0}}}}},
		{X: Axis{Log: true}, Y: Axis{Log: true}},
		{X: Axis{Log: true}, Y: Axis{Log: true}, Lines: []Line{{Points: []Point{{3, 5}, {3, 5}}}}},
		{Bars: []Bar{{Label: "zero"}}},
	} {
		c.Width, c.Height = 300, 200
		svg := c.SVG()
		parse(t, svg)
		assert.NotContains(t, svg, "NaN")
		assert.NotContains(t, svg, "Inf")
	}
}

func TestTicks(t *testing.T) {
	at := func(ticks []Tick) (all []float64) {
		for _, tick := range ticks {
			all = append(all, tick.At)
		}
		return all
	}
	assert.Equal(t, []float64{0, 20, 40, 60, 80, 100}, at(Rounds(0, 100)))
	assert.InDeltaSlice(t, []float64{0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3}, at(Rounds(0, 0.3)), 1e-12)
	assert.Equal(t, []float64{1, 2, 4, 8}, at(Doublings(1, 12)))
	assert.Equal(t, []float64{1, 10, 100, 1000}, at(Powers(2, 800)))
	assert.Equal(t, []Tick{{1e-4, "1e-4"}, {1e-3, "0.001"}}, Powers(2e-4, 1e-3))
	assert.Equal(t, "1e+7", Powers(1e6, 2e7)[1].Label)
	assert.Equal(t, "1ms", Durations(1e6, 1e7)[0].Label)
	for _, largest := range []float64{0, -1, 0.3, 1, 7, 99, 12345} {
		var a Axis
		a.EndRound(largest)
		assert.GreaterOrEqual(t, a.Max, largest)
		assert.Zero(t, a.Min)
		assert.LessOrEqual(t, len(Rounds(a.Min, a.Max)), 7)
		assert.InDelta(t, a.Max, Rounds(a.Min, a.Max)[len(Rounds(a.Min, a.Max))-1].At, 1e-9*math.Max(1, a.Max))
	}
}
