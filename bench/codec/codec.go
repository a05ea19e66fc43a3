package codec

import (
	"slices"

	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/decode"
)

// Codec is a format, with what can be measured of it beside its lane.
type Codec struct {
	Name    string
	formats []decode.Format // of files that count as it
	bare    []bare          // the floor first; of a format without a library of its own there is none
}

// Floor is the library that the codec is measured by, with its version; empty where there is none.
func (c Codec) Floor() string {
	if len(c.bare) == 0 {
		return ""
	}
	return c.bare[0].engine
}

// bare is a library, or a part of what it does or the lane does, on a file's bytes and without the lane.
type bare struct {
	step   string
	engine string
	pixels bool // it leaves the lane's pixels in dst: RGB as stored, rows without gaps, dst just large enough
	run    func(data, dst []byte) error
}

// discarding is a step that keeps no pixels.
func discarding(run func(data []byte) error) func(data, dst []byte) error {
	return func(data, _ []byte) error { return run(data) }
}

// All are the codecs that can be measured, by name.
func All() []Codec {
	turbo := "libjpeg-turbo " + jpeg.Version()
	return []Codec{
		{Name: "bmp", formats: []decode.Format{decode.BMP}},
		{Name: "jpeg", formats: []decode.Format{decode.JPEG}, bare: []bare{
			{"bare-rgb", turbo, true, jpeg.FloorRGB},
			{"bare-planes", turbo, false, discarding(jpeg.FloorPlanar)},
		}},
		{Name: "pnm", formats: []decode.Format{decode.PNM}},
		{Name: "tga", formats: []decode.Format{decode.TGA}},
	}
}

// Find gives the codec of that name.
func Find(name string) (Codec, bool) {
	all := All()
	i := slices.IndexFunc(all, func(c Codec) bool { return c.Name == name })
	if i < 0 {
		return Codec{}, false
	}
	return all[i], true
}
