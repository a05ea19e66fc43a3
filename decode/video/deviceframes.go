package video

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
)

// DeviceFrame is a frame on a device: a plane of luma, and a plane of half its size with pairs of chroma, as in NV12
// and P010. It is as stored, without the rotation that the container requests. Its receiver owns it until Release.
type DeviceFrame struct {
	Frame
	Stored        Stored
	Width, Height int
	Luma, Chroma  uint64             // each a CUdeviceptr
	Pitch         int                // bytes from one row to the next, in both
	Stream        spool.DeviceStream // orders the frame's completion, and the reuse of its memory after Release

	// Clip holds the frame if the device did not decode it, and Why is the reason. Then Luma and Chroma are 0. Its planes
	// are those of Spec.Planes SemiPlanar. A video that is stored as RGB has pixels instead, and Stored is zero.
	Clip *Clip
	Why  error

	surface  *av.Frame
	device   *device
	held     *atomic.Int64
	released atomic.Bool
}

// Release returns the frame to its decoder. The work that reads it must be queued on Stream, or be done on another
// stream. It panics if called twice.
func (f *DeviceFrame) Release() {
	if f.released.Swap(true) {
		panic("decode: DeviceFrame released more than once")
	}
	if f.Clip != nil {
		f.Clip.Release()
		return
	}
	f.surface.Release()
	f.held.Add(-1)
	f.device.users.Leave()
}

// DeviceFrames decodes frames on a device and leaves them there. They come in presentation order, each once, and are
// decoded on demand. The CPU decodes frames that the device declines for their codec, profile or size. It also decodes
// frames on which the device fails, and frames with damage in the file. Their Why gives the reason. No frame is lost.
//
//	Ownership: the caller owns the frames, and may hold up to DeviceOptions.Held; beyond that is ErrOptions.
//	Errors:    those of Video.Frames with FailOnDamage, with a nil frame; they end the sequence. Damage that NVDEC does
//	           not notice is not reported.
//	Cost:      no copies. For H.264, FFmpeg ends its NVDEC session at each seek and creates a new one.
func (v *Video) DeviceFrames(ctx context.Context, d *Device, frames []int) iter.Seq2[*DeviceFrame, error] {
	return func(yield func(*DeviceFrame, error) bool) {
		r, err := v.newDeviceReader(d, frames)
		if err != nil {
			yield(nil, v.fault(ctx, err))
			return
		}
		defer r.close()
		for _, n := range r.frames {
			f, err := r.next(ctx, n)
			if err != nil {
				yield(nil, v.fault(ctx, err))
				return
			}
			if !yield(f, nil) {
				return
			}
		}
	}
}

// deviceReader decodes a video's frames onto a device, one at a time. The decoder continues between frames.
type deviceReader struct {
	video  *Video
	device *device
	frames []int
	held   *atomic.Int64
	why    error // why the device does not decode the video
}

func (v *Video) newDeviceReader(d *Device, frames []int) (*deviceReader, error) {
	if v.away != nil {
		return nil, errAway
	}
	if _, err := v.prepare(frames, Spec{Stored: true}); err != nil {
		return nil, err
	}
	if !d.users.Add() {
		return nil, fmt.Errorf("decode: video device: %w", spool.ErrClosed)
	}
	sorted := slices.Clone(frames)
	slices.Sort(sorted)
	return &deviceReader{video: v, device: d.device, frames: slices.Compact(sorted), held: new(atomic.Int64)}, nil
}

// close closes the decoder, which must not outlive the device.
func (r *deviceReader) close() {
	r.video.session.closeCodec()
	r.video.session.frame.Clear()
	r.device.users.Leave()
}

func (r *deviceReader) next(ctx context.Context, n int) (*DeviceFrame, error) {
	if held := r.held.Load(); held >= int64(r.device.held) {
		return nil, fmt.Errorf("%w: %d frames are held, and DeviceOptions.Held is %d", spool.ErrOptions, held,
			r.device.held)
	}
	why := r.why
	if why == nil {
		f, reason, err := r.onDevice(ctx, n)
		if f != nil || err != nil {
			return f, err
		}
		why = reason
	}
	clip, err := r.video.Frames(ctx, []int{n}, Spec{Planes: SemiPlanar, Stored: true})
	if spool.ClassOf(err) == spool.ErrUnsupported { // its format has no planes
		clip, err = r.video.Frames(ctx, []int{n}, Spec{Stored: true})
	}
	if err != nil {
		return nil, err
	}
	i := r.video.info
	return &DeviceFrame{Frame: clip.Frames[0], Stored: clip.Stored, Width: i.Width, Height: i.Height, Clip: clip,
		Why: why}, nil
}

// onDevice decodes a frame, or returns the reason why the device does not.
func (r *deviceReader) onDevice(ctx context.Context, n int) (f *DeviceFrame, why, err error) {
	v := r.video
	c, err := v.enterAlone(ctx, 1)
	if err != nil {
		return nil, nil, err
	}
	defer c.Leave()
	s := &surfaceReceiver{reader: r, wanted: n}
	for _, run := range v.index.Plan([]int{n}).Runs {
		s.until = v.index.Through(run)
		err = v.session.play(c, run, s, settings{threads: 1, device: r.device}, true)
	}
	if err != nil {
		v.session.lose()
	}
	if c.Err() != nil || err == nil && s.failed == nil && s.frame != nil {
		return s.frame, nil, err
	}
	if s.frame != nil {
		s.frame.Release()
	}
	switch {
	case v.session.codec != nil && v.session.codec.Fallback() != nil:
		r.why = v.session.codec.Fallback()
		return nil, r.why, nil
	case err != nil && spool.ClassOf(err) == spool.ErrDevice:
		r.why = err
		return nil, err, nil
	case err != nil:
		return nil, err, nil
	case s.failed != nil:
		return nil, s.failed, nil
	}
	return nil, &spool.Error{Op: "decode", Class: spool.ErrDevice,
		Text: fmt.Sprintf("the device did not return frame %d", n)}, nil
}

// surfaceReceiver is the screen for frames that stay on the device.
type surfaceReceiver struct {
	reader *deviceReader
	wanted int
	until  int64
	frame  *DeviceFrame
	failed error
}

func (s *surfaceReceiver) leaves(packet int) bool {
	x := s.reader.video.index
	if !s.reader.video.session.disposable(packet) {
		return false
	}
	n, ok := x.FrameOf(packet)
	_, wanted := slices.BinarySearch(s.reader.frames, n)
	return !ok || !wanted
}

func (s *surfaceReceiver) damage(_ int, cause error) { s.failed = cause }

func (s *surfaceReceiver) show(_ *call.Call, f *av.Frame) (verdict, error) {
	x := s.reader.video.index
	n, ok := x.FrameAt(f.PTS)
	if !ok {
		return verdict{}, nil
	}
	if n == s.wanted && s.frame == nil {
		surface, on := f.Surface()
		if !on { // decoded by the CPU, as other frames would be; the decoder knows the reason
			return verdict{enough: true}, nil
		}
		if f.Corrupt {
			s.failed = errMadeUp
		}
		if err := s.keep(f, surface); err != nil {
			return verdict{}, err
		}
	}
	return verdict{enough: n >= s.wanted && f.PTS >= s.until}, nil
}

// keep holds the frame's surface.
func (s *surfaceReceiver) keep(f *av.Frame, at av.Surface) error {
	r := s.reader
	x := r.video.index
	surface, err := f.Clone()
	if err != nil {
		return err
	}
	if !r.device.users.Add() {
		surface.Release()
		return fmt.Errorf("decode: video device: %w", spool.ErrClosed)
	}
	kind := frameKind{format: f.PixelFormat, color: f.Color}
	s.frame = &DeviceFrame{Frame: Frame{Index: s.wanted, PTS: x.Time(s.wanted), Duration: x.Duration(s.wanted)},
		Stored: Stored{PixelFormat: map[int]string{8: "nv12", 10: "p010le", 16: "p016le"}[at.Bits], Bits: at.Bits, SubX: 2,
			SubY:   2,
			Matrix: int(f.Color.Matrix), Primaries: int(f.Color.Primaries), Transfer: int(f.Color.Transfer), Full: kind.full()},
		Width: f.Width, Height: f.Height, Luma: at.Luma, Chroma: at.Chroma, Pitch: at.Pitch,
		Stream:  spool.DeviceStream(r.device.stream),
		surface: surface, device: r.device, held: r.held}
	r.held.Add(1)
	return nil
}
