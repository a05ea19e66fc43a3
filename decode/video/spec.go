package video

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/pixels"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/resize"
)

// Spec describes the result of decoding a video's frames. The zero value means: the frames' size, uint8, HWC, RGB,
// rotation applied, damage refused. Its fields are those of an [image.Spec], for all frames of a clip.
type Spec struct {
	// Filters, if not empty, are filters of FFmpeg, as for its option -vf, that come before everything else. They work on
	// each stored frame by itself, and make one frame of it: "hflip,crop=64:48". So frame n is the same however it is
	// reached. Filters that need other frames have no effect, or are ErrOptions. Regions are those of filtered frames. A
	// frame costs the set-up of its filters, some 0.1 ms, besides their work.
	Filters string

	// FilterFiles lets Filters open files, libraries, fonts and sockets that they name, such as the table of lut3d. They
	// are opened for each frame. Otherwise such a filter is ErrOptions: see docs/references.md. Helpers open no files, so
	// it is ErrOptions for a video that they decode.
	FilterFiles bool

	Resize resize.Spec

	// Draw, if not nil, gives each clip its geometry, in place of Resize, from the upright size of its frames. All frames
	// of a clip get the same crop and flip. It is called once for each clip.
	Draw func(width, height int) (resize.Spec, error) `json:"-"`

	// Adjust, if not nil, gives each clip the steps that change its pixels, from the size of a frame. They work on bytes
	// after the resize, before Mean and Std, and are the same for all frames of a clip: see package augment. It is called
	// once for each clip. It needs the colors RGB, BGR or Gray.
	Adjust func(width, height int) []augment.Step `json:"-"`

	// Crops, if not OneCrop, gives several crops of Resize.CropWidth x CropHeight of each clip: the result has a leading
	// dimension. A frame is decoded once, and converted for each crop. Chunks and streams have no crops.
	Crops resize.Crops

	Planes    Planes // frames as stored planes, in place of pixels
	Chroma    Chroma // how chroma is interpolated where frames become RGB first, as in profile Exact
	Color     decode.Color
	DType     spool.DType
	Mean, Std []float32
	Layout    spool.Layout // HWC or CHW of a frame; Flat means HWC. A clip is NHWC or NCHW
	Stored    bool         // leaves frames as stored, without the rotation that the container asks for

	// OnDamage is the policy for frames that are damaged or do not come. Fill is the color of frames without any pixels;
	// nil means #808080.
	OnDamage decode.Damage
	Fill     *decode.RGB8
}

// Chroma is the interpolation that brings subsampled or shifted chroma to the size of the frame. FFmpeg has a special
// conversion for 8-bit 4:2:0 and 4:2:2 of even height, which both settings use.
type Chroma uint8

const (
	BicubicChroma  Chroma = iota // the bytes of "ffmpeg -pix_fmt rgb24" of the FFmpeg in use, and of torchcodec
	BilinearChroma               // decord's
)

// Validate reports all problems of the spec, each a *spool.OptionError.
func (s Spec) Validate() error {
	var bad invalid.Options
	p := s.pixels()
	samples := p
	if s.Color == decode.Index && s.DType == spool.Uint16 {
		samples.DType = spool.Uint8 // deeper samples are indices, too
	}
	samples.Validate(&bad)
	p.ValidateSamples(&bad)
	s.validatePlanes(&bad)
	if s.FilterFiles && s.Filters == "" {
		bad.Needs(invalid.Named("FilterFiles"), invalid.Named("Filters"), "")
	}
	pixels.ValidateCrops(&bad, s.Crops, s.Resize)
	if s.Adjust != nil {
		pixels.ValidateAdjust(&bad, s.Color)
	}
	if s.Chroma > BilinearChroma {
		bad.Value("Chroma", uint8(s.Chroma), "no such interpolation")
	}
	if s.OnDamage > decode.RepeatOnDamage {
		bad.Value("OnDamage", uint8(s.OnDamage), "no such policy")
	}
	return bad.Err()
}

// Sample describes a clip of n frames where the spec alone determines their size, as needed for a batch. It reports
// false when the size depends on the video; use [Video.Sample] then.
func (s Spec) Sample(n int) (spool.Desc, bool) {
	if s.Planes != Converted {
		return spool.Desc{}, false
	}
	p := s.pixels()
	frame, ok := p.Sample()
	if !ok {
		return spool.Desc{}, false
	}
	return s.cropped(clipOf(n, frame)), true
}

// pixels is the spec of one frame.
func (s Spec) pixels() pixels.Spec {
	return pixels.Spec{Resize: s.Resize, Color: s.Color, DType: s.DType, Mean: s.Mean, Std: s.Std, Layout: s.Layout,
		Fill: s.Fill}
}

// clipOf describes n frames.
func clipOf(n int, frame spool.Desc) spool.Desc {
	frame.Shape = append(spool.Shape{n}, frame.Shape...)
	frame.Layout = frame.Layout.Batched()
	return frame
}
