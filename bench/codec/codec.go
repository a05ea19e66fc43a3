package codec

import (
	"slices"

	"github.com/spoolmedia/spool/cbridge/avif"
	"github.com/spoolmedia/spool/cbridge/floor"
	barevips "github.com/spoolmedia/spool/cbridge/floor/vips"
	"github.com/spoolmedia/spool/cbridge/jp2"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/decode/image/format"
)

// Codec is a format, with the steps that can be measured in addition to its lane.
type Codec struct {
	Name    string
	formats []format.Format // of its files
	bare    []bare          // the floor first; none for a format that has no library

	// the kind of a file, which is measured separately, empty for the usual one; nil if there is one kind
	kind func(data []byte, pixels int) string
	// steps that need additional resources; nil if there are none
	more func(size int) (steps []step, closed func() error, err error)
}

// Floor returns the library that the codec is compared with, and its version; empty if there is none.
func (c Codec) Floor() string {
	if len(c.bare) == 0 {
		return ""
	}
	return c.bare[0].engine
}

// bare is a library, or a part of its work or of the lane's, applied to a file's bytes without the lane.
type bare struct {
	step   string
	engine string
	pixels bool // it writes the lane's pixels to dst: RGB as stored, rows without gaps, dst of exactly that size
	run    func(data, dst []byte) error
}

// discarding adapts a step that keeps no pixels.
func discarding(run func(data []byte) error) func(data, dst []byte) error {
	return func(data, _ []byte) error { return run(data) }
}

// All returns the codecs that can be measured, in the order of their names.
func All() []Codec {
	turbo, webpVersion, avifVersion := "libjpeg-turbo "+jpeg.Version(), "libwebp "+webp.Version(),
		"libavif "+avif.Version()
	libpng, libdeflate := png.Version()
	return []Codec{
		{Name: "avif", formats: []format.Format{format.AVIF}, bare: []bare{
			{"bare-rgb", avifVersion, false, floor.AVIF}, // with libavif's color conversion, which differs from Pillow's
			{"bare-planes", avifVersion, false, discarding(floor.AVIFPlanar)},
		}},
		{Name: "bmp", formats: []format.Format{format.BMP}},
		{Name: "gif", formats: []format.Format{format.GIF}, bare: []bare{
			{"bare-rgb", "giflib", true, floor.GIF},
		}},
		{Name: "heic", formats: []format.Format{format.HEIC}, bare: loaded(vips.HEIF)},
		{Name: "jp2", formats: []format.Format{format.JP2},
			bare: []bare{{"bare-planes", "libopenjp2 " + jp2.Version(), false, discarding(floor.JP2)}}},
		{Name: "jpeg", formats: []format.Format{format.JPEG}, bare: []bare{
			{"bare-rgb", turbo, true, floor.JPEG},
			{"bare-entropy", turbo, false, discarding(floor.JPEGCoefficients)},
			{"bare-planes", turbo, false, discarding(floor.JPEGPlanar)},
		}, kind: jpegKind, more: jpegSteps},
		{Name: "jxl", formats: []format.Format{format.JXL}, bare: loaded(vips.JXL)},
		{Name: "png", formats: []format.Format{format.PNG}, bare: pngBare(libpng, libdeflate), kind: pngKind},
		{Name: "pnm", formats: []format.Format{format.PNM}},
		{Name: "tga", formats: []format.Format{format.TGA}},
		{Name: "tiff", formats: []format.Format{format.TIFF}, bare: loaded(vips.TIFF)},
		{Name: "webp", formats: []format.Format{format.WebP}, bare: []bare{
			{"bare-rgb", webpVersion, true, floor.WebP},
			{"bare-planes", webpVersion, false, floor.WebPYUV},
		}},
	}
}

// loaded returns the floor of a format that libvips reads: the samples of its loader, not converted.
func loaded(f vips.Format) []bare {
	return []bare{{"bare-load", "libvips " + vips.Version(), false,
		func(data, _ []byte) error { return barevips.Load(f, data) }}}
}

// Find returns the codec with a name.
func Find(name string) (Codec, bool) {
	all := All()
	i := slices.IndexFunc(all, func(c Codec) bool { return c.Name == name })
	if i < 0 {
		return Codec{}, false
	}
	return all[i], true
}
