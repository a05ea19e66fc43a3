package batch

import "github.com/spoolmedia/spool"

// Patches cuts images into square patches, the tokens of vision transformers. A patch is a row of an array: in layout
// CHW its channels one after the other, and of each its rows; in layout HWC its pixels, row by row.
type Patches struct {
	Size int // side of a patch in pixels
	// Merge orders patches by squares of Merge x Merge patches, which a model merges; 0 means 1, rows of patches. Within a
	// square, and from square to square, they are in rows.
	Merge int
	// Frames is how often each channel of a patch is repeated, for models whose patches have several frames; 0 means 1.
	Frames int
}

// Side returns what the sides of images must be multiples of.
func (p Patches) Side() int { return p.Size * max(p.Merge, 1) }

// of reports whether samples of a field are cut into patches: whether it is an image.
func (p *Patches) of(f Field) bool {
	return p != nil && (f.Sample.Layout == spool.HWC || f.Sample.Layout == spool.CHW)
}

// grid returns the rows and columns of patches of an image, and its channels.
func (p *Patches) grid(d spool.Desc) (rows, columns, channels int) {
	height, width, channels := d.Shape[0], d.Shape[1], d.Shape[2]
	if d.Layout == spool.CHW {
		channels, height, width = height, width, channels
	}
	return height / p.Size, width / p.Size, channels
}

// fits reports whether an image consists of whole patches and squares.
func (p *Patches) fits(d spool.Desc) bool {
	rows, columns, channels := p.grid(d)
	merge, elems := max(p.Merge, 1), 1
	for _, n := range d.Shape {
		elems *= n
	}
	return rows%merge == 0 && columns%merge == 0 && rows*columns*channels*p.Size*p.Size == elems
}

// shape returns the patches of an image, and the elements of each.
func (p *Patches) shape(d spool.Desc) spool.Shape {
	rows, columns, channels := p.grid(d)
	return spool.Shape{rows * columns, channels * max(p.Frames, 1) * p.Size * p.Size}
}

// cut writes the patches of an image to dst.
func (p *Patches) cut(dst, src []byte, d spool.Desc) {
	rows, columns, channels := p.grid(d)
	elem, planes := d.DType.Size()*channels, 1
	if d.Layout == spool.CHW {
		elem, planes = d.DType.Size(), channels
	}
	merge, line := max(p.Merge, 1), p.Size*elem // bytes of a row of a patch
	stride := columns * line
	plane := rows * p.Size * stride
	for at := range rows * columns { // of the patches in their order
		square, within := at/(merge*merge), at%(merge*merge)
		row := square/(columns/merge)*merge + within/merge
		column := square%(columns/merge)*merge + within%merge
		for c := range planes {
			first := c*plane + row*p.Size*stride + column*line
			for range max(p.Frames, 1) {
				for y := range p.Size {
					dst = dst[copy(dst, src[first+y*stride:][:line]):]
				}
			}
		}
	}
}
