package contactsheet

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/record/annotation"
)

// overlay draws the fields of records that follow an image on it, or the frames of clips.
type overlay struct {
	batch  *batch.Batch
	schema record.Schema
	image  int // number of the array
	frames int // of a clip; 1 for an image
	height int // of a cell
	width  int
}

// newOverlay finds the first image or clip of a batch of records that a sheet can show: uint8 RGB in rows. It returns
// false if there is none.
func newOverlay(b *batch.Batch, schema record.Schema) (*overlay, bool) {
	for f, field := range b.Fields() {
		d, frames := field.Sample, 1
		if d.Layout == spool.NHWC {
			frames, d.Shape, d.Layout = d.Shape[0], d.Shape[1:], spool.HWC
		}
		if !b.Patched(f) && len(d.Shape) == 3 && d.DType == spool.Uint8 && d.Layout == spool.HWC && d.Shape[2] == 3 {
			o := &overlay{batch: b, schema: schema, image: f, frames: frames, height: d.Shape[0], width: d.Shape[1]}
			for i := 0; b.Ragged(f) && i < min(b.Len(), sheetMost); i++ {
				shape := b.SampleDesc(f, i).Shape
				o.height, o.width = max(o.height, shape[0]), max(o.width, shape[1])
			}
			return o, o.height > 0
		}
	}
	return nil, false
}

// cell returns the image or clip of sample i with what follows it.
func (o *overlay) cell(i int) cell {
	pixels := make([]byte, 3*o.height*o.width*o.frames)
	data, width := o.rows(o.image, i)
	for y := 0; y*3*width < len(data); y++ {
		copy(pixels[y*3*o.width:], data[y*3*width:(y+1)*3*width])
	}
	view, name := "", o.batch.Fields()[o.image].Name
	if o.schema.Find(name) < 0 { // NAME.0
		name, view = name[:strings.LastIndexByte(name, '.')], ".0"
	}
	words := []string{caption(o.batch.Samples[i])}
	for _, f := range o.schema {
		switch k := f.Kind.(type) {
		case record.Mask:
			if k.Like == name {
				o.mask(pixels, i, f.Name+view)
			}
		case record.Boxes:
			if k.Like == name {
				o.boxes(pixels, o.values(i, f.Name+view), k.Format)
			}
		case record.Points:
			if k.Like == name {
				o.points(pixels, o.values(i, f.Name+view))
			}
		case record.Instances:
			if k.Like == name {
				o.instances(pixels, o.values(i, f.Name+view))
			}
		case record.Text:
			if v := o.values(i, f.Name); len(v.Data) > 0 {
				words = append(words, strings.Fields(string(v.Data))...)
			}
		}
	}
	return cell{pixels: pixels, caption: strings.Join(words, " ")}
}

// cells returns the images of the batch, or its clips, one per row.
func (o *overlay) cells() (list []cell, columns, height, width int) {
	n := min(o.batch.Len(), max(1, sheetMost/o.frames))
	if columns = o.frames; o.frames == 1 {
		columns = int(math.Ceil(math.Sqrt(float64(n))))
	}
	for i := range n {
		first := o.cell(i)
		list = append(list, first)
		for k := 1; k < o.frames; k++ {
			list = append(list, cell{pixels: first.pixels[k*3*o.width*o.height:]})
		}
	}
	return list, columns, o.height, o.width
}

// values returns the value of a field of sample i.
func (o *overlay) values(i int, name string) batch.Value {
	for _, v := range o.batch.Samples[i].Values {
		if v.Field == name {
			return v
		}
	}
	return batch.Value{}
}

// shade returns the color of a label.
func shade(label int) [3]byte {
	h := uint32(label) * 2654435761 // Knuth's multiplicative hash: neighbors differ
	return [3]byte{byte(h >> 8), byte(h >> 16), byte(h>>24) | 0x80}
}

// rows returns the memory of sample i in an array, and the width of its rows.
func (o *overlay) rows(f, i int) (data []byte, width int) {
	shape := o.batch.Fields()[f].Sample.Shape
	if o.batch.Ragged(f) {
		shape = o.batch.SampleDesc(f, i).Shape
	}
	return o.batch.SampleBytes(f, i), shape[1]
}

// mask blends the labels of a mask, except 0, with the image.
func (o *overlay) mask(pixels []byte, i int, name string) {
	for f, field := range o.batch.Fields() {
		if field.Name != name || len(field.Sample.Shape) != 2 {
			continue
		}
		data, width := o.rows(f, i)
		for at, label := range data {
			o.blend(pixels, at/width, at%width, int(label))
		}
	}
}

// blend shades a pixel with the color of a label, except 0.
func (o *overlay) blend(pixels []byte, y, x, label int) {
	if label == 0 {
		return
	}
	p := y*o.width + x
	for c, v := range shade(label) {
		pixels[3*p+c] = byte((int(pixels[3*p+c]) + int(v)) / 2)
	}
}

// instances blends each mask with the image in a color of its own.
func (o *overlay) instances(pixels []byte, v batch.Value) {
	if len(v.Desc.Shape) != 3 {
		return
	}
	height, width := v.Desc.Shape[1], v.Desc.Shape[2]
	for at, inside := range v.Data {
		o.blend(pixels, at/width%height, at%width, int(inside)*(1+at/(width*height)))
	}
}

// floats returns the elements of a float32 value.
func floats(v batch.Value) []float32 {
	list := make([]float32, len(v.Data)/4)
	for i := range list {
		list[i] = math.Float32frombits(binary.NativeEndian.Uint32(v.Data[4*i:]))
	}
	return list
}

// boxes draws the edges of boxes.
func (o *overlay) boxes(pixels []byte, v batch.Value, format annotation.Format) {
	corners := annotation.Boxes{Format: format, Coords: floats(v)}.Convert(annotation.XYXY)
	for c := range slices.Chunk(corners.Coords, 4) {
		left, top, right, bottom := c[0], c[1], c[2], c[3]
		for x := int(left); x < int(right); x++ {
			o.dot(pixels, x, int(top))
			o.dot(pixels, x, int(bottom)-1)
		}
		for y := int(top); y < int(bottom); y++ {
			o.dot(pixels, int(left), y)
			o.dot(pixels, int(right)-1, y)
		}
	}
}

// points draws a cross at each point.
func (o *overlay) points(pixels []byte, v batch.Value) {
	if len(v.Desc.Shape) != 2 {
		return
	}
	for c, n := floats(v), v.Desc.Shape[1]; len(c) >= n; c = c[n:] {
		for d := -2; d <= 2; d++ {
			o.dot(pixels, int(c[0])+d, int(c[1]))
			o.dot(pixels, int(c[0]), int(c[1])+d)
		}
	}
}

// dot draws a pixel, if it is within the image.
func (o *overlay) dot(pixels []byte, x, y int) {
	if x >= 0 && x < o.width && y >= 0 && y < o.height {
		copy(pixels[3*(y*o.width+x):], []byte{255, 64, 64})
	}
}
