// Package contactsheet draws the images of a batch in a grid, with what belongs to them: ids, labels, boxes, masks.
package contactsheet

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode"
	spoolimage "github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/record"
)

// Takes reports whether a sheet can show such samples.
func Takes(s spoolimage.Spec) bool {
	return s.DType == spool.Uint8 && s.Layout != spool.CHW && s.Color == decode.RGB
}

// Of returns the contact sheet of a batch, which has a schema if it is of records. It returns false if the batch
// cannot be drawn.
func Of(b *batch.Batch, schema record.Schema) (image.Image, bool) {
	if schema != nil {
		o, found := newOverlay(b, schema)
		if !found {
			return nil, false
		}
		return drawSheet(o.cells()), true
	}
	d := b.Desc()
	if n := len(d.Shape); n < 4 || d.Shape[n-1] != 3 || d.DType != spool.Uint8 {
		return nil, false
	}
	return drawSheet(cells(b)), true
}

const (
	sheetGap    = 4
	sheetLine   = 14   // height of a caption
	sheetLetter = 7    // width of a letter
	sheetMost   = 4096 // images: more would be too small to see
)

// cell is an image of a sheet.
type cell struct {
	pixels  []byte // RGB
	caption string
}

// cells returns the images of a batch of uint8 NHWC with 3 channels, or of clips of these: a clip is a row, and so is
// each crop of a clip.
func cells(b *batch.Batch) (list []cell, columns, height, width int) {
	shape := b.Desc().Shape
	frames := 1 // of a sample
	for _, n := range shape[1 : len(shape)-3] {
		frames *= n
	}
	height, width = shape[len(shape)-3], shape[len(shape)-2]
	n := min(b.Len(), max(1, sheetMost/frames))
	if columns = shape[len(shape)-4]; frames == 1 {
		columns = int(math.Ceil(math.Sqrt(float64(n))))
	}
	for i, s := range b.Samples[:n] {
		for k := range frames {
			c := cell{pixels: b.Slot(i)[k*3*width*height:], caption: caption(s)}
			if k > 0 {
				c.caption = ""
			}
			list = append(list, c)
		}
	}
	return list, columns, height, width
}

// drawSheet draws the images of a batch. It shrinks images depending on their number, so that a sheet takes some 64 MB
// at most, and enlarges small ones so that their ids fit.
func drawSheet(list []cell, columns, h, w int) image.Image {
	n := len(list)
	edge := min(max(48, math.Sqrt(16e6/float64(n))), 256)
	scale := edge / float64(max(w, h))
	if scale > 1 {
		scale = max(1, math.Floor(48/float64(max(w, h))))
	}
	pw, ph := max(1, int(float64(w)*scale)), max(1, int(float64(h)*scale))
	pitch := image.Pt(max(pw, 48)+sheetGap, ph+sheetLine+sheetGap)
	rows := (n + columns - 1) / columns
	sheet := image.NewRGBA(image.Rect(0, 0, columns*pitch.X+sheetGap, rows*pitch.Y+sheetGap))
	draw.Draw(sheet, sheet.Bounds(), image.NewUniform(color.Gray{Y: 24}), image.Point{}, draw.Src)
	for i, c := range list {
		at := image.Pt(sheetGap+i%columns*pitch.X, sheetGap+i/columns*pitch.Y)
		for y := range ph {
			out := sheet.Pix[sheet.PixOffset(at.X, at.Y+y):]
			row := c.pixels[3*w*(y*h/ph):]
			for x := range pw {
				copy(out[4*x:4*x+3], row[3*(x*w/pw):])
				out[4*x+3] = 0xff
			}
		}
		pen := font.Drawer{Dst: sheet, Src: image.White, Face: basicfont.Face7x13, Dot: fixed.P(at.X, at.Y+ph+sheetLine-3)}
		pen.DrawString(c.caption[:min(len(c.caption), (pitch.X-sheetGap)/sheetLetter)])
	}
	return sheet
}

// caption returns the text below an image.
func caption(s batch.Sample) string {
	text := fmt.Sprint(s.ID)
	if s.Label >= 0 {
		text += fmt.Sprintf(" (%d)", s.Label)
	}
	switch s.State {
	case batch.Damaged:
		text += " damaged"
	case batch.Placeholder:
		text += " placeholder"
	}
	return text
}
