package image_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/golden"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/resize"
)

func goldenSpec(t *testing.T, c golden.Case) image.Spec {
	t.Helper()
	s := image.Spec{Resize: resize.Spec{Width: c.Size[0], Height: c.Size[1], Shorter: c.Shorter,
		CropWidth: c.Crop[0], CropHeight: c.Crop[1], PadColor: c.Pad,
		Box: resize.Rect{Left: c.Box[0], Top: c.Box[1], Width: c.Box[2] - c.Box[0], Height: c.Box[3] - c.Box[1]}}}
	if c.Mode != "" {
		require.NoError(t, s.Resize.Mode.UnmarshalText([]byte(c.Mode)))
	}
	require.NoError(t, s.Resize.Filter.UnmarshalText([]byte(c.Filter)))
	require.NoError(t, s.Resize.Profile.UnmarshalText([]byte(c.Profile)))
	s.Color = map[int]decode.Color{1: decode.Gray, 3: decode.RGB, 4: decode.RGBA}[c.Channels]
	return s
}

// goldenFile is the case's image in a format that stores its bytes unchanged.
func goldenFile(c golden.Case) []byte {
	p := c.Pixels()
	switch c.Channels {
	case 1:
		return append(fmt.Appendf(nil, "P5 %d %d 255\n", c.In[0], c.In[1]), p...)
	case 3:
		return append(fmt.Appendf(nil, "P6 %d %d 255\n", c.In[0], c.In[1]), p...)
	}
	header := make([]byte, 18) // TGA, true color, 32 bits with 8 of alpha, top row first
	header[2], header[16], header[17] = 2, 32, 0x28
	binary.LittleEndian.PutUint16(header[12:], uint16(c.In[0]))
	binary.LittleEndian.PutUint16(header[14:], uint16(c.In[1]))
	for i := 0; i < len(p); i += 4 {
		p[i], p[i+2] = p[i+2], p[i]
	}
	return slices.Concat(header, p)
}

func requireGolden(t *testing.T, cases []golden.Case) {
	t.Helper()
	d := decodetest.New(t, decoders.Options{})
	for _, c := range cases {
		got, report := decodetest.Image(t, d, goldenFile(c), goldenSpec(t, c))
		require.Equal(t, spool.Shape{c.Out[1], c.Out[0], c.Channels}, report.Desc.Shape, "%v", c)
		require.True(t, c.Is(got), "%v", c)
	}
}

// Decoding and resizing together give torchvision's and Pillow's bytes, with their rules of decoding.
func TestResizeIsTorchvisionsAndPillows(t *testing.T) {
	g, err := golden.Read("../..")
	require.NoError(t, err)
	requireGolden(t, short.Some(g.Torchvision, 17))
	requireGolden(t, short.Some(g.Pillow, 17))
}

func TestResizeOfRandomCases(t *testing.T) {
	cases, err := golden.Random("../..")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(cases), 4000)
	requireGolden(t, short.Some(cases, 7))
}

// content is one of the images of testdata/resize.
func content(kind string, seed uint64, width, height, channels int) []byte {
	return golden.Case{Content: kind, Seed: seed, In: [2]int{width, height}, Channels: channels}.Pixels()
}
