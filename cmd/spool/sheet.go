package main

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
)

// saveSheet writes a contact sheet: the pictures of a batch (uint8 NHWC, 3 channels) in a grid, with
// their ids and labels below.
func saveSheet(name string, b *batch.Batch) error {
	const gap, line = 4, 14
	shape := b.Desc().Shape
	h, w := shape[1], shape[2]
	columns := int(math.Ceil(math.Sqrt(float64(b.Len()))))
	rows := (b.Len() + columns - 1) / columns
	sheet := image.NewRGBA(image.Rect(0, 0, columns*(w+gap)+gap, rows*(h+line+gap)+gap))
	draw.Draw(sheet, sheet.Bounds(), image.NewUniform(color.Gray{Y: 24}), image.Point{}, draw.Src)
	for i, s := range b.Samples {
		x, y := gap+i%columns*(w+gap), gap+i/columns*(h+line+gap)
		pixels := b.Slot(i)
		for row := range h {
			out := sheet.Pix[sheet.PixOffset(x, y+row):]
			for column := range w {
				copy(out[4*column:], pixels[3*(row*w+column):][:3])
				out[4*column+3] = 0xff
			}
		}
		caption := fmt.Sprint(s.ID)
		if s.Label >= 0 {
			caption += fmt.Sprintf(" (%d)", s.Label)
		}
		if s.State != batch.Whole {
			caption += " " + map[batch.State]string{batch.Damaged: "damaged", batch.Placeholder: "placeholder"}[s.State]
		}
		pen := font.Drawer{Dst: sheet, Src: image.White, Face: basicfont.Face7x13, Dot: fixed.P(x, y+h+line-3)}
		pen.DrawString(caption)
	}
	file, err := os.Create(name)
	if err != nil {
		return spool.InFile(err, name)
	}
	err = png.Encode(file, sheet)
	if closing := file.Close(); err == nil {
		err = closing
	}
	return spool.InFile(err, name)
}
