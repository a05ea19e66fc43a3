package decode

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/resize"
)

// lane decodes the pictures of some formats.
//
// To add one: a file of its own with a type that has these methods, and its formats in laneOf. header
// fills what it knows of ImageInfo, the unexported fields included, and leaves out Frame. Errors are
// *spool.Error; what was damaged but may be accepted goes through settle. A format whose frames build
// on each other is an animator as well, one that can be decoded smaller for less a shrinker, and one whose planes
// can be had planar.
type lane interface {
	fmt.Stringer // the lane's name

	// header reads what a frame of the picture is, without its pixels. One that the file does not have
	// is for the caller to find by Frames; where pages differ, and only then, the lane looks for the
	// frame itself, and says noSuchFrame when it is not there.
	header(ctx context.Context, data []byte, f Format, frame int) (ImageInfo, error)
	// intake says which samples of such a picture decode will push for what is wanted, and what is to
	// become of them first. Samples that s.converts to sRGB have the channels that the profile is for.
	intake(i ImageInfo, s ImageSpec) intake
	// decode pushes the rows that the sink wants: those of frame i.Frame, which is 0 where i.Animated.
	decode(ctx context.Context, data []byte, i ImageInfo, r rows) (progress, error)
}

// animator is a lane for pictures whose frames build on each other, for which header says Animated. All
// frames have the same size, channels and intake: those of the canvas.
type animator interface {
	animate(ctx context.Context, data []byte, i ImageInfo) (animation, error)
}

// animation gives the frames of a picture in sequence. It belongs to one goroutine at a time.
type animation interface {
	// next composes the next frame and pushes the rows of the canvas that the sink wants. Without a
	// sink it composes only. It is not called again after an error, or when damage was accepted.
	next(ctx context.Context, r rows) (progress, error)
	close()
}

// shrinker is a lane that can give a smaller picture for less work than the whole one.
type shrinker interface {
	// shrink says as what decode may give a stored picture that is wanted at width x height or a little
	// more, whole: i, with Width and Height as they will be pushed, never less than asked for nor more
	// than they were. It is asked for resize.Fast only, and never with a size above the picture's own.
	shrink(i ImageInfo, s ImageSpec, width, height int) ImageInfo
}

// rows is what a lane is to push.
type rows struct {
	channels  int            // 1 of a JPEG in colour means its luma
	bits      int            // 8, or 16: uint16 in the machine's byte order; strides are in bytes always
	inks      bool           // the sink takes inks: 4 channels, 255 is full
	sink      sink           // nil: none, see animation
	fill      [3]uint8       // RGB, for a lane that has lower rows but not the upper ones
	accept    float64        // the fraction from which on damage is accepted; 0 refuses it
	maxMemory int64          // that the library may take
	tables    *resize.Tables // weights, for a lane that shrinks by resizing planes of its own
	jpeg      *jpegEngine
	profile   resize.Profile
}

// sink takes rows, from the first that is wanted on: the kernel, or the ICC conversion before it.
type sink interface {
	Pointer() unsafe.Pointer   // a spool_sink (cbridge/kernel/sink.h), for decoders in C
	Wanted() (first, last int) // rows [first, last)
	Push(rows []byte, stride, n int) (enough bool, err error)
}

// intake is what becomes of the samples that a lane pushes.
type intake struct {
	channels int           // 1, 3 or 4
	bits     int           // 16, or 8, which 0 means as well
	alpha    kernel.Intake // AsIs, DropAlpha or Blend
	gray     bool          // then to luma
}

// progress is how far a lane came.
type progress struct {
	engine   string  // what decoded it, where the lane has a choice
	reason   string  // why it was not what the lane asks first
	damaged  bool    // the sink did not get all rows
	fraction float64 // of the picture that was read; 1 of a whole one
	warnings int
	warning  string // the first one

	// left says that nothing is decoded yet: what was pushed is void, and the lane is to be called again with this in
	// ImageInfo.left and with a new sink.
	left baseline.Reason

	profile int64 // bytes that a conversion by the picture's profile took; not for lanes to say
	scratch int64 // nor the bytes that the sink took
}

// settle decides on damage: err is the lane's, fraction how much of the picture came before it. The
// rows that came are in the sink already, as far as they are final.
func settle(err error, fraction, accept float64) (progress, error) {
	if err == nil {
		return progress{fraction: 1}, nil
	}
	if accept > 0 && fraction >= accept && isDamage(err) {
		return progress{damaged: true, fraction: fraction, warnings: 1, warning: err.Error()}, nil
	}
	return progress{}, err
}

// isDamage tells what may be accepted from what is never.
func isDamage(err error) bool {
	class := spool.ClassOf(err)
	return class == spool.ErrTruncated || class == spool.ErrCorrupt
}

// laneOf is the lane for a format, nil when there is none, or only one that is not allowed.
func laneOf(f Format, allow Loaders) lane {
	switch f {
	case JPEG:
		return jpegLane{}
	case GIF:
		return gifLane{}
	case AVIF:
		return avifLane{}
	case WebP:
		return webpLane{}
	case PNG:
		return pngLane{}
	case JP2:
		return jp2Lane{}
	case TIFF, HEIC, JXL:
		return vipsLane{}
	case BMP, PNM, TGA:
		return goLane{}
	case 0:
		if allow&AllowMagick != 0 {
			return vipsLane{}
		}
	default:
		if allow&loaderOf(f) != 0 {
			return vipsLane{}
		}
	}
	return nil
}

// refuse is the error for bytes that no lane takes.
func refuse(op string, f Format) error {
	if f == 0 {
		return &spool.Error{Op: op, Class: spool.ErrNotMedia, Text: "no picture that we know of"}
	}
	if loader := loaderOf(f); loader != 0 {
		text := fmt.Sprintf("%v is decoded only where its loader is allowed (%v)", f, loader)
		return &spool.Error{Op: op, Class: spool.ErrUnsupported, Text: text}
	}
	return &spool.Error{Op: op, Class: spool.ErrUnsupported, Text: "no decoder for " + f.String()}
}

// noSuchFrame is the error for a frame that a picture does not have.
func noSuchFrame(frame, frames int) error {
	text := fmt.Sprintf("there is no frame %d: the picture has %d", frame, frames)
	return &spool.Error{Op: "decode", Class: spool.ErrNoSuchFrame, Text: text}
}
