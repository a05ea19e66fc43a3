package image

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/failure"
	"github.com/spoolmedia/spool/decode/internal/pixels"
	"github.com/spoolmedia/spool/resize"
)

// lane decodes one family of image formats.
//
// To add a lane, write a type with these methods in a new file, and list its formats in lanes.of. header fills the
// fields of Info that it knows, including unexported ones, except Frame. Errors are *spool.Error. settle decides about
// damage that may be accepted.
//
// Optional interfaces: animator for formats whose frames build on each other, shrinker for formats that decode faster
// at a smaller size, planar for formats that give planes.
type lane interface {
	fmt.Stringer // the lane's name

	// header reads the header of a frame, without its pixels. The caller rejects a missing frame by comparing with Frames.
	// Where pages differ, and only then, the lane looks up the frame itself and returns noSuchFrame.
	header(ctx context.Context, data []byte, f format.Format, frame int) (Info, error)
	// intake describes the samples that decode will push for an image and a spec, and their first conversion. Samples that
	// are converted to sRGB (s.converts) have the channels of the color profile.
	intake(i Info, s Spec) pixels.Intake
	// decode pushes the rows that the sink wants of frame i.Frame, which is 0 where i.Animated.
	decode(ctx context.Context, data []byte, i Info, r rows) (progress, error)
}

// animator is a lane for images whose frames build on each other, which header reports as Animated. All frames have the
// size, channels and intake of the canvas.
type animator interface {
	animate(ctx context.Context, data []byte, i Info) (animation, error)
}

// animation gives the frames of an image in sequence. Only one goroutine may use it at a time.
type animation interface {
	// next composes the next frame and pushes the rows of the canvas that the sink wants. Without a sink it only composes.
	// It is not called again after an error or after accepted damage.
	next(ctx context.Context, r rows) (progress, error)
	close()
}

// shrinker is a lane that can decode at a smaller size for less work.
type shrinker interface {
	// shrink gives the info of a stored image as decode will push it, for a request of at least width x height of the
	// whole image. It is i with a new Width and Height, neither below the requested size nor above the stored size. It is
	// called only for resize.Fast, and never with a size above the image's.
	shrink(i Info, s Spec, width, height int) Info
}

// rows is what a lane is asked to push.
type rows struct {
	channels  int            // 1 for a color JPEG: its luma
	bits      int            // 8, or 16 (uint16 in native byte order); strides are always in bytes
	inks      bool           // the sink takes inks: 4 channels, 255 is full
	sink      sink           // may be nil, see animation
	fill      [3]uint8       // RGB of missing rows, for a lane that can decode lower rows without the upper ones
	accept    float64        // the least fraction at which damage is accepted; 0 refuses damage
	maxMemory int64          // memory limit for the library
	tables    *resize.Tables // weights, for a lane that shrinks by resizing planes
	profile   resize.Profile

	// restart makes the sink ready for the rows of the same image again, for a lane whose first engine declined.
	restart func() error
}

// sink takes rows, from the first wanted row on. It is the kernel, or the ICC conversion in front of it.
type sink interface {
	Pointer() unsafe.Pointer   // a spool_sink (cbridge/kernel/sink.h), for decoders in C
	Wanted() (first, last int) // rows [first, last)
	Push(rows []byte, stride, n int) (enough bool, err error)
}

// progress is the result of a lane's decode.
type progress struct {
	engine   string  // the engine used, where the lane has several
	reason   string  // why the lane's first engine did not decode
	damaged  bool    // the sink did not get all rows
	fraction float64 // of the image that was read; 1 for a whole image
	warnings int
	warning  string // the first warning

	// declined reports that the image is not decoded by planes: the pushed samples are void, and the lane is asked for
	// rows.
	declined bool

	profile int64 // bytes that the conversion from the color profile took; not set by lanes
	scratch int64 // bytes that the sink took; not set by lanes
}

// settle decides whether damage is accepted. err is the lane's error, and fraction how much of the image was decoded
// before it. Those of the decoded rows that are final are already in the sink.
func settle(err error, fraction, accept float64) (progress, error) {
	if err == nil {
		return progress{fraction: 1}, nil
	}
	if accept > 0 && fraction >= accept && failure.IsDamage(err) {
		return progress{damaged: true, fraction: fraction, warnings: 1, warning: err.Error()}, nil
	}
	return progress{}, err
}

// lanes chooses the lane of an image.
type lanes struct {
	jpeg  *jpegLane // the decoder's; nil where images are not decoded
	allow Loaders
}

// of is the lane for a format. It is nil without a lane, or where the lane's loader is not allowed.
func (l lanes) of(f format.Format) lane {
	switch f {
	case format.JPEG:
		return l.jpeg
	case format.GIF:
		return gifLane{}
	case format.AVIF:
		return avifLane{}
	case format.WebP:
		return webpLane{}
	case format.PNG:
		return pngLane{}
	case format.JP2:
		return jp2Lane{}
	case format.TIFF, format.HEIC, format.JXL:
		return vipsLane{}
	case format.BMP, format.PNM, format.TGA:
		return goLane{}
	case 0:
		if l.allow&AllowMagick != 0 {
			return vipsLane{}
		}
	default:
		if l.allow&loaderOf(f) != 0 {
			return vipsLane{}
		}
	}
	return nil
}

// refuse is the error for bytes that no lane decodes.
func refuse(op string, f format.Format) error {
	if f == 0 {
		return &spool.Error{Op: op, Class: spool.ErrNotMedia, Text: "not an image in a known format"}
	}
	if loader := loaderOf(f); loader != 0 {
		text := fmt.Sprintf("%v is decoded only where its loader is allowed (%v)", f, loader)
		return &spool.Error{Op: op, Class: spool.ErrUnsupported, Text: text}
	}
	return &spool.Error{Op: op, Class: spool.ErrUnsupported, Text: "no decoder for " + f.String()}
}

// noSuchFrame is the error for a frame that an image does not have.
func noSuchFrame(frame, frames int) error {
	text := fmt.Sprintf("there is no frame %d: the image's frame count is %d", frame, frames)
	return &spool.Error{Op: "decode", Class: spool.ErrNoSuchFrame, Text: text}
}
