package decode_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/resize"
)

// resized is a case of testdata/resize/golden.json, which the README beside it describes.
type resized struct {
	Content  string
	Seed     uint64
	In       [2]int
	Channels int
	Filter   resize.Filter
	Mode     resize.Mode
	Size     [2]int
	Shorter  int
	Crop     [2]int
	Pad      [3]uint8
	Out      [2]int
	SHA256   string
	Offset   int
}

func (c resized) spec() decode.ImageSpec {
	s := decode.ImageSpec{Resize: resize.Spec{Width: c.Size[0], Height: c.Size[1], Mode: c.Mode, Shorter: c.Shorter,
		CropWidth: c.Crop[0], CropHeight: c.Crop[1], Filter: c.Filter, PadColor: c.Pad}}
	s.Color = map[int]decode.Color{1: decode.Gray, 3: decode.RGB, 4: decode.RGBA}[c.Channels]
	return s
}

// file is the case's picture in a format that stores its bytes as they are.
func (c resized) file() []byte {
	p := content(c.Content, c.Seed, c.In[0], c.In[1], c.Channels)
	switch c.Channels {
	case 1:
		return append(fmt.Appendf(nil, "P5 %d %d 255\n", c.In[0], c.In[1]), p...)
	case 3:
		return append(fmt.Appendf(nil, "P6 %d %d 255\n", c.In[0], c.In[1]), p...)
	}
	header := make([]byte, 18) // TGA, true colour, 32 bits of which 8 alpha, top row first
	header[2], header[16], header[17] = 2, 32, 0x28
	binary.LittleEndian.PutUint16(header[12:], uint16(c.In[0]))
	binary.LittleEndian.PutUint16(header[14:], uint16(c.In[1]))
	for i := 0; i < len(p); i += 4 {
		p[i], p[i+2] = p[i+2], p[i]
	}
	return slices.Concat(header, p)
}

// content is one of the pictures of testdata/resize/README.md.
func content(kind string, seed uint64, width, height, channels int) []byte {
	p := make([]byte, (width*height*channels+7)/8*8)
	for i := 0; i < len(p); i += 8 {
		seed += 0x9e3779b97f4a7c15
		z := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		binary.LittleEndian.PutUint64(p[i:], z^z>>31)
	}
	p = p[:width*height*channels]
	for i, v := range p {
		x, y, c := i/channels%width, i/channels/width, i%channels
		across, down := x*255/max(width-1, 1), y*255/max(height-1, 1)
		switch kind {
		case "mask":
			p[i] = -(v >> 7)
		case "smooth":
			ramp := [4]int{across, down, (x + y) * 255 / max(width+height-2, 1), 255 - across}[c]
			p[i] = uint8(min(max(ramp+int(v&31)-16, 0), 255))
		}
	}
	return p
}

func readResized(t *testing.T) (g struct{ Torchvision, Pillow []resized }) {
	t.Helper()
	require.NoError(t, json.Unmarshal(readFile(t, media, "resize", "golden.json"), &g))
	return g
}

// The whole road gives torchvision's bytes, and those of its decoder are the picture's.
func TestResizeIsTorchvisions(t *testing.T) {
	d := newDecoder(t, decode.Options{})
	cases := readResized(t).Torchvision
	require.Greater(t, len(cases), 600)
	for _, c := range cases {
		got, report := pixels(t, d, c.file(), c.spec())
		require.Equal(t, spool.Shape{c.Out[1], c.Out[0], c.Channels}, report.Desc.Shape, "%+v", c)
		require.Equal(t, c.SHA256, fmt.Sprintf("%x", sha256.Sum256(got)), "%+v", c)
	}
}

func TestResizeIsPillowsWithinOne(t *testing.T) {
	d := newDecoder(t, decode.Options{})
	cases := readResized(t).Pillow
	require.Greater(t, len(cases), 200)
	all := readFile(t, media, "resize", "pillow.bin")
	for _, c := range cases {
		got, _ := pixels(t, d, c.file(), c.spec())
		largest, _ := worst(t, all[c.Offset:][:c.Size[0]*c.Size[1]*c.Channels], got)
		require.LessOrEqual(t, largest, 1, "%+v", c)
	}
}
