package decode

import (
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/resize"
)

// VideoSpec says what is wanted of a video's frames. The zero value is: own size, uint8, HWC, RGB, rotation applied,
// damage refused. Its fields are those of an [ImageSpec], for all frames of a clip.
type VideoSpec struct {
	Resize resize.Spec

	// Draw, if not nil, gives each clip its geometry, from the upright size of its frames and in place of Resize:
	// all frames of a clip are cropped and flipped alike. It is called once a clip.
	Draw func(width, height int) (resize.Spec, error)

	Planes    Planes // as they are stored, in place of pixels
	Chroma    Chroma // how it is interpolated where frames become RGB before anything else: in profile Exact
	Color     Color
	DType     spool.DType
	Mean, Std []float32
	Layout    spool.Layout // HWC or CHW of a frame; Flat means HWC. A clip is NHWC or NCHW
	Stored    bool         // leaves frames as they are stored, without the rotation that the container asks for

	// OnDamage is what becomes of frames that are damaged or do not come. Fill is their colour where nothing else is to
	// be had; nil means #808080.
	OnDamage Damage
	Fill     *RGB8
}

// Chroma says how chroma that is stored smaller than luma, or shifted, is brought to the size of the frame. 8-bit 4:2:0
// and 4:2:2 of even height have a conversion of their own in FFmpeg, which both settings use.
type Chroma uint8

const (
	BicubicChroma  Chroma = iota // the bytes of "ffmpeg -pix_fmt rgb24", of the FFmpeg in use, and of torchcodec
	BilinearChroma               // decord's
)

// Damage is a policy for frames that are damaged, or that the decoder does not give. The cut of a truncated file is not
// damage: there are no frames after it.
//
// A frame is damaged when its own packet is, or one before it in its group of pictures that other frames are predicted from,
// as far as decoder or container notice it: a wrong bit may make a picture that is as valid as any. What a frame is does
// not depend on what is asked for beside it, for which groups with damage in them are decoded up to four times. Only with
// several threads a decoder may not tell of what it conceals.
type Damage uint8

const (
	FailOnDamage   Damage = iota // the clip fails
	MarkDamage                   // the frame as far as the decoder could make it, or VideoSpec.Fill, marked
	RepeatOnDamage               // the last whole frame in its place, marked; VideoSpec.Fill before the first
)

// Validate reports all that is wrong with the spec, as ErrOptions.
func (s VideoSpec) Validate() error {
	err := errors.Join(s.frame().Validate(), s.validatePlanes())
	if s.Color == Index {
		err = errors.Join(err, fmt.Errorf("%w: frames of video have no indices", spool.ErrOptions))
	}
	if s.Chroma > BilinearChroma {
		err = errors.Join(err, fmt.Errorf("%w: no such interpolation of chroma: %d", spool.ErrOptions, s.Chroma))
	}
	if s.OnDamage > RepeatOnDamage {
		err = errors.Join(err, fmt.Errorf("%w: no such policy for damage: %d", spool.ErrOptions, s.OnDamage))
	}
	return err
}

// Sample describes a clip of n frames where the spec alone decides their size, as a batch needs it. It reports
// false when the size depends on the video, for which there is [Video.Sample].
func (s VideoSpec) Sample(n int) (spool.Desc, bool) {
	if s.Planes != Converted {
		return spool.Desc{}, false
	}
	frame, ok := s.frame().Sample()
	if !ok {
		return spool.Desc{}, false
	}
	return clipOf(n, frame), true
}

// frame is what is wanted of one frame, which is as a picture's.
func (s VideoSpec) frame() ImageSpec {
	return ImageSpec{Resize: s.Resize, Draw: s.Draw, Color: s.Color, DType: s.DType, Mean: s.Mean, Std: s.Std,
		Layout: s.Layout, Stored: s.Stored, Fill: s.Fill}
}

// clipOf describes n frames.
func clipOf(n int, frame spool.Desc) spool.Desc {
	frame.Shape = append(spool.Shape{n}, frame.Shape...)
	frame.Layout = frame.Layout.Batched()
	return frame
}
