package jp2

import (
	"github.com/spoolmedia/spool"
)

// Color is the color model of an image's components. The constants have the order of the enum in jp2.h.
type Color uint8

// The color models.
const (
	Gray Color = iota
	RGB
	YCC
	CMYK
	Palette
)

// mode is Pillow's image mode. It follows from the image header box, or from the number of components without one.
type mode uint8

const (
	modeL mode = iota + 1
	modeLA
	modeRGB
	modeRGBA
	modeCMYK
	modeP
	modePA
)

func (c *container) mode(s *stream) mode {
	if !c.boxed {
		return mode(len(s.components))
	}
	switch {
	case c.components == 4 && c.inks:
		return modeCMYK
	case c.palette != nil && c.depth <= 8:
		return modeP + mode(c.components-1)
	case c.components <= 4:
		return mode(c.components)
	}
	return 0
}

// deep reports whether Pillow gives a single component 16 bits.
func (c *container) deep(s *stream) bool {
	if c.boxed {
		return c.components == 1 && c.bits&0x7f > 8
	}
	return len(s.components) == 1 && s.components[0].bits > 8
}

// colorSpace returns the color space of the components. If the file does not declare one, subsampled components mean
// YCbCr.
func (c *container) colorSpace(s *stream) uint32 {
	if c.boxed && c.method == 1 {
		switch c.space {
		case sRGB, grayscale, sYCC, eYCC, cmyk:
			return c.space
		}
	}
	switch subsampled := s.subsampled(); {
	case len(s.components) <= 2:
		return grayscale
	case subsampled == 1 || subsampled == 2:
		return sYCC
	}
	return sRGB
}

// reading is the key of the readings table: Pillow's mode, the color space and the number of components.
type reading struct {
	mode  mode
	space uint32
	count int
}

// meaning is the color model, and the index of the alpha component or -1.
type meaning struct {
	color   Color
	opacity int
	whole   bool // no component may be subsampled
}

// readings are the combinations that Pillow supports.
var readings = map[reading]meaning{
	{modeL, grayscale, 1}:    {Gray, -1, true},
	{modeLA, grayscale, 2}:   {Gray, 1, true},
	{modeP, sRGB, 1}:         {Palette, -1, true},
	{modeP, cmyk, 1}:         {Palette, -1, true},
	{modePA, sRGB, 2}:        {Palette, 1, true},
	{modeRGB, grayscale, 1}:  {Gray, -1, true},
	{modeRGB, grayscale, 2}:  {Gray, -1, true},
	{modeRGB, sRGB, 3}:       {RGB, -1, false},
	{modeRGB, sYCC, 3}:       {YCC, -1, false},
	{modeRGB, sRGB, 4}:       {RGB, -1, false},
	{modeRGB, sYCC, 4}:       {YCC, -1, false},
	{modeRGBA, grayscale, 1}: {Gray, -1, true},
	{modeRGBA, grayscale, 2}: {Gray, 1, true},
	{modeRGBA, sRGB, 3}:      {RGB, -1, false},
	{modeRGBA, sYCC, 3}:      {YCC, -1, false},
	{modeRGBA, grayscale, 4}: {RGB, 3, false},
	{modeRGBA, sRGB, 4}:      {RGB, 3, false},
	{modeRGBA, sYCC, 4}:      {YCC, 3, false},
	{modeCMYK, cmyk, 4}:      {CMYK, -1, false},
}

// meaning returns how Pillow interprets the components.
func (c *container) meaning(s *stream) (meaning, error) {
	r := reading{c.mode(s), c.colorSpace(s), len(s.components)}
	m, ok := readings[r]
	switch {
	case !ok:
		return m, fault(spool.ErrUnsupported, "%d components in colour space %d", r.count, r.space)
	case m.whole && s.subsampled() >= 0:
		return m, fault(spool.ErrUnsupported, "subsampled gray or palette indices")
	}
	return m, nil
}

// lookup returns the palette as RGBA. Entries that the file lacks are black.
func (c *container) lookup() (table [256][4]uint8, err error) {
	if c.columns != 3 && c.columns != 4 || c.colors > len(table) || c.depth > 7 {
		return table, fault(spool.ErrUnsupported, "a palette of %d colours with %d samples of up to %d bits", c.colors,
			c.columns, c.depth+1)
	}
	for i := range table {
		table[i][3] = 0xff
	}
	for i := range c.colors {
		entry := c.palette[i*c.columns:][:c.columns]
		copy(table[i][:], entry)
		if c.columns == 4 && c.inks {
			white := 255 - int(entry[3])
			for k := range 3 {
				t := int(entry[k])*white + 128
				table[i][k] = uint8(white - (t>>8+t)>>8)
			}
			table[i][3] = 0xff
		}
	}
	return table, nil
}
