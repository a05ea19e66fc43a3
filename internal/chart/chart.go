// Package chart draws charts of lines and bars as SVG, in one style.
package chart

// Chart has lines over two axes, or horizontal bars over the X axis.
type Chart struct {
	Title         string
	Width, Height float64 // pixels
	X, Y          Axis
	Lines         []Line
	Bars          []Bar // the first is at the top; Y is unused
}

// Line is a polyline.
type Line struct {
	Name   string // in the legend; a line without a name is not in it
	Color  int    // its number in the palette
	Marks  bool   // a dot at each point
	Points []Point
}

// Point is a position in the units of the axes.
type Point struct{ X, Y float64 }

// Bar is a horizontal bar from the smallest value of the X axis.
type Bar struct {
	Label string
	Value float64
	Color int    // its number in the palette
	Note  string // behind its end
}

// palette has the "bright" colors of Paul Tol's qualitative schemes (sron.nl/~pault), which color-blind people can
// tell apart, and three of his "muted" ones.
var palette = [...]string{"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#999999", "#332288",
	"#882255", "#999933"}

// Gray is the number of a color without emphasis.
const Gray = 6

// Color returns a color of the palette as #rrggbb. Colors repeat after the last.
func Color(number int) string { return palette[number%len(palette)] }
