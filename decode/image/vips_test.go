package image_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color/palette"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/tiff"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	spoolimage "github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/resize"
)

const vipsMedia = "../../cbridge/vips/testdata" // pixels are tested in that package

// libtiff decodes an image whose palette is beyond the end of the file as gray, and only warns.
func TestPaletteBehindTheEnd(t *testing.T) {
	img := image.NewPaletted(image.Rect(0, 0, 20, 12), palette.WebSafe)
	copy(img.Pix, content("noise", 1, 20, 12, 1))
	for i := range img.Pix {
		img.Pix[i] %= uint8(len(palette.WebSafe))
	}
	var file bytes.Buffer
	require.NoError(t, tiff.Encode(&file, img, nil))
	data := file.Bytes()
	d := decodetest.New(t, decoders.Options{})
	whole, _ := decodetest.Image(t, d, data, spoolimage.Spec{})
	for i, v := range img.Pix {
		r, g, b, _ := palette.WebSafe[v].RGBA()
		require.Equal(t, []byte{byte(r >> 8), byte(g >> 8), byte(b >> 8)}, whole[3*i:][:3])
	}

	const colorMap = 320
	directory := data[binary.LittleEndian.Uint32(data[4:]):]
	entries := directory[2:]
	for range binary.LittleEndian.Uint16(directory) {
		if binary.LittleEndian.Uint16(entries) == colorMap {
			binary.LittleEndian.PutUint32(entries[8:], uint32(len(data)))
		}
		entries = entries[12:]
	}
	_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: data}, spoolimage.Spec{})
	require.ErrorIs(t, err, spool.ErrTruncated)
}

// A format that is blocked by default is refused with the name of its loader, and only such formats are.
func TestAskedFor(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for name, allow := range map[string]spoolimage.Loaders{
		"drawing.svg": spoolimage.AllowSVG, "light.exr": spoolimage.AllowEXR, "light.hdr": spoolimage.AllowHDR,
		"pages.pdf": spoolimage.AllowPDF, "icon.ico": spoolimage.AllowMagick,
	} {
		data := decodetest.ReadFile(t, vipsMedia, name)
		for _, spec := range []spoolimage.Spec{{}, {Allow: ^allow & spoolimage.AllowSVG},
			{Allow: ^allow & spoolimage.AllowPDF}} {
			_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: data}, spec)
			require.ErrorIs(t, err, spool.ErrUnsupported, name)
			assert.ErrorContains(t, err, allow.String(), name)
		}
		_, report := decodetest.Image(t, d, data, spoolimage.Spec{Allow: allow})
		assert.Equal(t, "vips", report.Trace.Lane, name)
		for n := 0; n < len(data); n += 1 + len(data)/20 {
			buffer, _, err := d.Images.Decode(ctx, spool.Bytes{Data: data[:n]}, spoolimage.Spec{Allow: allow})
			if err == nil {
				buffer.Release()
				continue
			}
			assert.NotEmpty(t, spool.ClassOf(err), "%s cut to %d bytes: %v", name, n, err)
		}
	}
	page, _ := decodetest.Image(t, d, decodetest.ReadFile(t, vipsMedia, "pages.pdf"),
		spoolimage.Spec{Allow: spoolimage.AllowPDF, Frame: 1})
	assert.Len(t, page, 16*12*3)
	for _, junk := range []string{"some text that nobody calls an image",
		"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"} {
		_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: []byte(junk)}, spoolimage.Spec{Allow: spoolimage.AllowMagick})
		assert.ErrorIs(t, err, spool.ErrNotMedia)
	}
}

// Fast uses the lower resolution of a TIFF file that is large enough, within its bounds; exact never does.
func TestLevels(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"levels-below.tif", "levels-behind.tif"} {
		data := decodetest.ReadFile(t, vipsMedia, name)
		for _, want := range []struct{ size, width, height int }{{96, 96, 64}, {60, 96, 64}, {30, 48, 32}, {16, 24, 16},
			{5, 24, 16}} {
			spec := spoolimage.Spec{Resize: resize.Spec{Mode: resize.Stretch, Width: want.size, Height: want.size * 2 / 3}}
			exact, report := decodetest.Image(t, d, data, spec)
			assert.Equal(t, [2]int{96, 64}, [2]int{report.Trace.Width, report.Trace.Height})
			spec.Resize.Profile = resize.Fast
			fast, report := decodetest.Image(t, d, data, spec)
			assert.Equal(t, [2]int{want.width, want.height}, [2]int{report.Trace.Width, report.Trace.Height}, "%s to %d", name,
				want.size)
			largest, mean := decodetest.Worst(t, exact, fast)
			assert.LessOrEqual(t, mean, 1.0)
			assert.LessOrEqual(t, largest, 4)
		}
	}
	other, _ := decodetest.Image(t, d, decodetest.ReadFile(t, vipsMedia, "levels-below.tif"),
		spoolimage.Spec{Frame: 1, Resize: resize.Spec{Width: 12, Height: 8, Profile: resize.Fast}})
	first, _ := decodetest.Image(t, d, decodetest.ReadFile(t, vipsMedia, "levels-below.tif"),
		spoolimage.Spec{Resize: resize.Spec{Width: 12, Height: 8}})
	for i := range first {
		first[i] = 255 - first[i]
	}
	_, mean := decodetest.Worst(t, first, other)
	assert.LessOrEqual(t, mean, 1.0, "page 1 is the negative of page 0")
}

// Inks are converted by the color profile: within 2 levels of Pillow's ImageCms.
func TestInksByTheirProfile(t *testing.T) {
	const media = "../../cbridge/icc/testdata"
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"inks.jpg", "inks.tif"} {
		data, want := decodetest.ReadFile(t, media, name), decodetest.ReadFile(t, media, name+".rgb")
		got, report := decodetest.Image(t, d, data, spoolimage.Spec{ICC: true})
		assert.Zero(t, report.Warnings, report.Warning)
		assert.Positive(t, report.Trace.Profile)
		largest, _ := decodetest.Worst(t, want, got)
		assert.LessOrEqual(t, largest, 2, name)
		bgr, _ := decodetest.Image(t, d, data, spoolimage.Spec{ICC: true, Color: decode.BGR,
			Resize: resize.Spec{CropWidth: 6, CropHeight: 4}})
		at := ((12-4)/2*20 + (20-6)/2) * 3
		assert.Equal(t, []byte{got[at+2], got[at+1], got[at]}, bgr[:3], "the middle of %s", name)

		plain, _ := decodetest.Image(t, d, data, spoolimage.Spec{})
		broken := bytes.Replace(data, []byte("acsp"), []byte("ACSP"), 1) // the profile's signature
		unmanaged, report := decodetest.Image(t, d, broken, spoolimage.Spec{ICC: true})
		assert.Equal(t, plain, unmanaged, "%s, a profile that is broken", name)
		assert.Equal(t, 1, report.Warnings)
		assert.Contains(t, report.Warning, "profile")
	}
}

func TestWhatThereIsNoDecoderFor(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: decodetest.ReadFile(t, vipsMedia, "double.tif")},
		spoolimage.Spec{})
	require.ErrorIs(t, err, spool.ErrUnsupported)
	assert.ErrorContains(t, err, "64 bits")
	_, _, err = d.Images.Decode(ctx, spool.Bytes{Data: decodetest.ReadFile(t, vipsMedia, "animated.jxl")},
		spoolimage.Spec{})
	require.ErrorIs(t, err, spool.ErrUnsupported)
	data := decodetest.ReadFile(t, vipsMedia, "rgb8.lzw.tif")
	tag := bytes.Index(data, []byte{0x03, 0x01, 3, 0, 1, 0, 0, 0}) // compression, a short
	require.Positive(t, tag)
	binary.LittleEndian.PutUint16(data[tag+8:], 40000)
	_, _, err = d.Images.Decode(ctx, spool.Bytes{Data: data}, spoolimage.Spec{})
	require.ErrorIs(t, err, spool.ErrUnsupported)
	assert.ErrorContains(t, err, "compression 40000")
}

// Rows above the damage are accepted where the library gives them, in strips of 16 rows or rows of tiles.
func TestAcceptDamageOfStrips(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, c := range []struct {
		name  string
		spoil func(data []byte) []byte
		class spool.Class
		rows  int // rows that can be decoded
	}{
		{"strips.tif", shortened, spool.ErrTruncated, 32}, // the data hold 40
		{"tiles.tif", scratch, spool.ErrCorrupt, 32},
		{"rgb8.tif", shortened, spool.ErrTruncated, 0}, // its directory is at the end
		{"rgb8.big-endian.tif", shortened, spool.ErrTruncated, 0},
		{"collection.heic", shortened, spool.ErrTruncated, 0},
		{"container.jxl", shortened, spool.ErrTruncated, 0},
		{"rgb8.jxl", shortened, spool.ErrCorrupt, 0}, // a bare codestream does not declare its length
	} {
		t.Run(fmt.Sprint(c.name, " ", c.class), func(t *testing.T) {
			data := decodetest.ReadFile(t, vipsMedia, c.name)
			whole, _ := decodetest.Image(t, d, data, spoolimage.Spec{})
			data = c.spoil(data)
			_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: data}, spoolimage.Spec{})
			require.ErrorIs(t, err, c.class)
			buffer, report, err := d.Images.Decode(ctx, spool.Bytes{Data: data}, spoolimage.Spec{Accept: 1e-9})
			if c.rows == 0 {
				require.ErrorIs(t, err, c.class)
				return
			}
			require.NoError(t, err)
			defer buffer.Release()
			assert.True(t, report.Damaged)
			n := c.rows * report.Info.Width * 3
			assert.Equal(t, whole[:n], buffer.Bytes()[:n])
			assert.InDelta(t, float64(c.rows)/float64(report.Info.Height), report.Fraction, 1e-9)
		})
	}
}

func shortened(data []byte) []byte { return data[:len(data)*2/3] }

// scratch overwrites a range of bytes in the second half.
func scratch(data []byte) []byte {
	data = bytes.Clone(data)
	for i := range len(data) / 4 {
		data[len(data)/2+i] ^= 0x55
	}
	return data
}
