// Package deviceframes makes batches of the frames that NVDEC decodes, on the device. The C interface and loaders use
// it.
package deviceframes

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/transfer"
)

// Refusal returns why a device cannot make the frames that s asks for, or nil.
func Refusal(i video.Info, s video.Spec) error {
	float := s.DType == spool.Float16 || s.DType == spool.BFloat16 || s.DType == spool.Float32
	switch {
	case float && geometry(s) != (resize.Spec{}):
		return errors.New("the host resizes and crops frames of floats")
	case s.Resize.Profile == resize.Fast && geometry(s) != (resize.Spec{}):
		return errors.New("the host resizes frames by profile fast")
	case s.Filters != "":
		return errors.New("the host filters frames")
	case s.Color != decode.RGB || s.Planes != video.Converted:
		return errors.New("a device makes RGB only")
	case !float && s.DType != spool.Uint8, float != (s.Layout == spool.CHW):
		return errors.New("a device makes uint8 in NHWC, and floats in NCHW")
	case !s.Stored && i.Orientation > 1:
		return errors.New("the host turns frames upright")
	}
	return nil
}

// geometry is what changes the size of frames.
func geometry(s video.Spec) resize.Spec {
	g := s.Resize
	if g.Profile, g.Filter = resize.Exact, resize.Bilinear; g == (resize.Spec{}) {
		return g
	}
	return s.Resize
}

// Decode makes a batch of frames, in the order of wanted, for a spec that Refusal does not refuse. why is the reason
// why the host has to decode them instead: the device declines the video, or a frame is damaged. There is no batch
// then. queue calls its argument with the context that ends the wait for a place in the copier's ring.
func Decode(ctx context.Context, v *video.Video, on *video.Device, c *transfer.Copier, wanted []int, s video.Spec,
	queue func(func(context.Context) (*transfer.Batch, error)) (*transfer.Batch, error)) (b *transfer.Batch,
	frames []video.Frame, why, err error) {
	if len(wanted) == 0 {
		return nil, nil, errors.New("there are no frames"), nil
	}
	next, stop := iter.Pull2(v.DeviceFrames(ctx, on, wanted))
	defer stop()
	g := gathering{wanted: wanted, frames: make([]video.Frame, len(wanted)), next: next}
	if why := g.take(); why != nil {
		return nil, nil, why, ctx.Err()
	}
	defer g.release() // the frame that was not read
	of := g.frame.Stored
	convert, err := transfer.NewFrames(c, transfer.FramesOptions{Width: g.frame.Width, Height: g.frame.Height,
		Paired: true, Bits: of.Bits, Matrix: of.Matrix, Full: of.Full, DType: s.DType, Mean: s.Mean, Std: s.Std,
		Resize: geometry(s)})
	if errors.Is(err, spool.ErrOptions) { // a matrix or a resize that the device does not have
		return nil, nil, err, nil
	}
	if err != nil {
		return nil, nil, nil, err
	}
	b, err = queue(func(ctx context.Context) (*transfer.Batch, error) {
		return convert.Gather(ctx, len(wanted), g.run)
	})
	if g.why != nil {
		return nil, nil, g.why, ctx.Err()
	}
	return b, g.frames, nil, err
}

// gathering is the frames of a batch while they are decoded.
type gathering struct {
	wanted []int
	frames []video.Frame
	next   func() (*video.DeviceFrame, error, bool)
	frame  *video.DeviceFrame // decoded, and not yet released; nil: none
	why    error              // why the host has to decode the frames
}

// take decodes the next frame. It returns why the host has to. At the end there is no frame.
func (g *gathering) take() error {
	f, err, more := g.next()
	if !more {
		return nil
	}
	if err != nil {
		return err // the host finds the same, or decodes
	}
	if g.frame = f; f.Clip != nil {
		why := f.Why
		g.release()
		return why
	}
	return nil
}

func (g *gathering) release() {
	if g.frame != nil {
		g.frame.Release()
		g.frame = nil
	}
}

// run puts all frames into a batch.
func (g *gathering) run(put func(int, transfer.DevicePlanes) error) error {
	of, width, height := g.frame.Stored, g.frame.Width, g.frame.Height
	for g.frame != nil {
		if g.frame.Stored != of || g.frame.Width != width || g.frame.Height != height {
			g.why = errors.New("its frames have several forms")
			return g.why
		}
		err := g.put(put)
		g.release()
		if err == nil {
			g.why = g.take()
		}
		if err = cmp.Or(err, g.why); err != nil {
			return err
		}
	}
	return nil
}

// put puts the frame wherever it is wanted.
func (g *gathering) put(put func(int, transfer.DevicePlanes) error) error {
	f := g.frame
	for at, n := range g.wanted {
		if n != f.Index {
			continue
		}
		g.frames[at] = f.Frame
		if err := put(at, transfer.DevicePlanes{Y: f.Luma, U: f.Chroma, LumaPitch: f.Pitch, ChromaPitch: f.Pitch,
			Stream: f.Stream}); err != nil {
			return err
		}
	}
	return nil
}
