package video

import (
	"encoding/binary"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/resize"
)

// Planes returns frames as stored, as planes of luma and chroma, for conversion elsewhere, for example on a GPU. Frames
// keep their stored size and orientation, without the rotation that the container asks for: see Info.Orientation.
// Report.Stored describes the samples.
//
// A frame is its planes one after the other, without gaps, each row by row. The luma plane comes first, width x height.
// The shape depends on the chroma subsampling:
//
//   - 4:2:0 with even sides: [height*3/2 width], the same as from NVDEC and the ffmpeg command's rawvideo.
//   - 4:2:2: [height*2 width].
//   - 4:4:4: [height*3 width].
//   - Gray, which has luma only: [height width].
//   - Chroma that does not fill rows of that width, as with odd sides: [samples].
//
// The layout is Flat. 8-bit samples are uint8 and deeper ones uint16: Spec.DType must match.
type Planes uint8

const (
	Converted Planes = iota // no planes, but pixels of Spec.Color
	// Planar is Y, then U, then V: FFmpeg's yuv420p (I420), yuv422p10 and so on; deeper samples use the low bits
	Planar
	// SemiPlanar is Y, then U and V interleaved: NV12, NV16, NV24, P010 and so on; deeper samples use the high bits
	SemiPlanar
)

// Stored describes the samples of planes. Code points are those of ITU-T H.273; 2 where the video does not specify
// them.
type Stored struct {
	PixelFormat                 string // FFmpeg's name of the decoder's pixel format
	Bits                        int    // of a sample
	SubX, SubY                  int    // samples of luma to one of chroma, in each direction; both 0 for gray
	Matrix, Primaries, Transfer int
	Full                        bool // the range is 0 to 2^Bits-1, not the limited range that begins with 16 << (Bits-8)
}

// validatePlanes adds options that cannot be combined with planes.
func (s Spec) validatePlanes(bad *invalid.Options) {
	if s.Planes == Converted {
		return
	}
	if s.Planes > SemiPlanar {
		bad.Value("Planes", uint8(s.Planes), "no such planes")
	}
	geometry := s.Resize
	geometry.Profile = resize.Exact // a profile is allowed: it changes only the decoder's work
	const ownSize = "planes come at their own size, without crops and flips"
	if geometry != (resize.Spec{}) {
		bad.Excludes(invalid.Named("Planes"), invalid.Named("Resize"), ownSize)
	}
	if s.Draw != nil {
		bad.Excludes(invalid.Named("Planes"), invalid.Named("Draw"), ownSize)
	}
	if s.Filters != "" {
		bad.Excludes(invalid.Named("Planes"), invalid.Named("Filters"), "planes are those of the video")
	}
	if s.Adjust != nil {
		bad.Excludes(invalid.Named("Planes"), invalid.Named("Adjust"), "planes have no colors to change")
	}
	if s.Color != decode.RGB {
		bad.Excludes(invalid.Named("Planes"), invalid.With("Color", s.Color), "planes have no colors to choose")
	}
	if s.Layout != spool.Flat && s.Layout != spool.HWC {
		bad.Excludes(invalid.Named("Planes"), invalid.Named("Layout"), "planes have no channels to choose")
	}
	if s.DType != spool.Uint8 && s.DType != spool.Uint16 {
		bad.Needs(invalid.Named("Planes"), invalid.With("DType", "uint8 or uint16"), "")
	}
	if s.Fill != nil {
		bad.Excludes(invalid.Named("Planes"), invalid.Named("Fill"), "planes are filled with gray")
	}
}

// rawDesc describes the planes of a frame by its size and format.
func rawDesc(width, height int, format av.PixelFormat, dtype spool.DType) (spool.Desc, error) {
	refuse := func(text string, args ...any) (spool.Desc, error) {
		return spool.Desc{}, &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Text: fmt.Sprintf(text, args...)}
	}
	planeLayout, ok := format.Planes()
	if !ok {
		return refuse("%v has no planes of luma and chroma", format)
	}
	if need := map[bool]spool.DType{false: spool.Uint8, true: spool.Uint16}[planeLayout.Depth > 8]; need != dtype {
		return refuse("planes of %v are %v, not %v", format, need, dtype)
	}
	d := spool.Desc{Shape: spool.Shape{planeLayout.Samples(width, height)}, DType: dtype}
	even := planeLayout.Gray || width%planeLayout.SubX == 0 && height%planeLayout.SubY == 0
	if rows := d.Shape[0] / width; even && rows*width == d.Shape[0] {
		d.Shape = spool.Shape{rows, width}
	}
	return d, nil
}

// newRawCut plans for planes with the video's declared size and format.
func (v *Video) newRawCut(spec Spec) (*output, error) {
	format, ok := av.FormatNamed(v.info.PixelFormat)
	if !ok {
		return nil, &spool.Error{Op: "decode", Class: spool.ErrUnsupported,
			Text: fmt.Sprintf("planes of the unknown format %q", v.info.PixelFormat)}
	}
	desc, err := rawDesc(v.info.Width, v.info.Height, format, spec.DType)
	if err != nil {
		return nil, err
	}
	k := &output{video: v, asked: spec, spec: spec.pixels(), asStored: true, raw: spec.Planes, desc: desc,
		work: &workspace{pool: v.decoder.scratch}}
	t, err := k.target(v.info.Width, v.info.Height, false)
	if err != nil {
		return nil, err
	}
	k.plan = t.Geometry
	return k, nil
}

// writeRaw copies the planes of frame n to a slot.
func (k *output) writeRaw(c *call.Call, f *av.Frame, n, slot int) error {
	desc, err := rawDesc(f.Width, f.Height, f.PixelFormat, k.desc.DType)
	if err != nil {
		return err
	}
	if !desc.Shape.Equal(k.desc.Shape) {
		text := fmt.Sprintf("frame %d is %dx%d %v: planes of %v where %v are expected", n, f.Width, f.Height, f.PixelFormat,
			desc.Shape, k.desc.Shape)
		return &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Text: text}
	}
	if k.stored == (Stored{}) {
		planeLayout, _ := f.PixelFormat.Planes()
		kind := frameKind{format: f.PixelFormat, color: f.Color}
		k.stored = Stored{PixelFormat: f.PixelFormat.String(), Bits: planeLayout.Depth, Matrix: int(f.Color.Matrix),
			Primaries: int(f.Color.Primaries),
			Transfer:  int(f.Color.Transfer), Full: kind.full()}
		if !planeLayout.Gray {
			k.stored.SubX, k.stored.SubY = planeLayout.SubX, planeLayout.SubY
		}
	}
	return f.CopyPlanes(c, k.slot(slot), k.raw == SemiPlanar)
}

// fillRaw makes a slot gray.
func (k *output) fillRaw(slot int) {
	into := k.slot(slot)
	if k.desc.DType == spool.Uint8 {
		for i := range into {
			into[i] = 0x80
		}
		return
	}
	middle := uint16(0x8000)
	if format, ok := av.FormatNamed(k.video.info.PixelFormat); ok && k.raw == Planar {
		middle = 1 << (format.Depth() - 1)
	}
	for i := 0; i < len(into); i += 2 {
		binary.NativeEndian.PutUint16(into[i:], middle)
	}
}
