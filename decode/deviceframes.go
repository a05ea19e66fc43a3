package decode

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
)

// DeviceFrame is a frame on a device: luma, and in a plane of half the size pairs of chroma, as NV12 and P010 have them;
// as stored, without the rotation that the container asks for. It is owned by who received it, and ends with Release.
type DeviceFrame struct {
	Frame
	Stored        Stored
	Width, Height int
	Luma, Chroma  uint64  // each a CUdeviceptr
	Pitch         int     // bytes from one row to the next, in both
	Stream        uintptr // a CUstream, in whose order the frame is complete, and its memory used again after Release

	// Clip has the frame where the device did not decode it, and Why is the reason: as VideoSpec.Planes SemiPlanar has it, or, of
	// a video that is stored as RGB, as pixels, and then Stored is zero. Luma and Chroma are 0.
	Clip *Clip
	Why  error

	surface  *av.Frame
	device   *videoDevice
	held     *atomic.Int64
	released atomic.Bool
}

// Release gives the frame back: once what reads it is queued in Stream, or, of another stream, done. It panics when called twice.
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
	f.device.users.leave()
}

// DeviceFrames decodes frames on a device and leaves them there. They come in the order of presentation, each once, and
// are decoded as they are asked for. What the device does not decode, for its codec, profile or size, and what it fails at or
// the file has damage in, the processors decode, and the frame says why: none is lost.
//
//	Ownership: frames are the caller's, who may hold as many as VideoDeviceOptions.Held; more are ErrOptions.
//	Errors:    those of Video.Frames with FailOnDamage, with a nil frame, and the end of the sequence. Damage that NVDEC does not
//	           notice nobody does.
//	Cost:      no copies. FFmpeg ends its session with NVDEC at each seek of H.264, and makes a new one.
func (v *Video) DeviceFrames(ctx context.Context, d *VideoDevice, frames []int) iter.Seq2[*DeviceFrame, error] {
	return func(yield func(*DeviceFrame, error) bool) {
		r, err := v.newDeviceReel(d, frames)
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

// deviceReel is a video on its way to a device, a frame at a time, which the player goes on with.
type deviceReel struct {
	video  *Video
	device *videoDevice
	frames []int
	held   *atomic.Int64
	why    error // the device does not decode the video
}

func (v *Video) newDeviceReel(d *VideoDevice, frames []int) (*deviceReel, error) {
	if _, err := v.prepare(frames, VideoSpec{Stored: true}); err != nil {
		return nil, err
	}
	if !d.users.add() {
		return nil, fmt.Errorf("decode: video device: %w", spool.ErrClosed)
	}
	sorted := slices.Clone(frames)
	slices.Sort(sorted)
	return &deviceReel{video: v, device: d.videoDevice, frames: slices.Compact(sorted), held: new(atomic.Int64)}, nil
}

// close gives the decoder back, which must not outlive the device.
func (r *deviceReel) close() {
	r.video.player.closeCodec()
	r.video.player.frame.Clear()
	r.device.users.leave()
}

func (r *deviceReel) next(ctx context.Context, n int) (*DeviceFrame, error) {
	if held := r.held.Load(); held >= int64(r.device.held) {
		return nil, fmt.Errorf("%w: %d frames are held, and VideoDeviceOptions.Held is %d", spool.ErrOptions, held, r.device.held)
	}
	why := r.why
	if why == nil {
		f, reason, err := r.onDevice(ctx, n)
		if f != nil || err != nil {
			return f, err
		}
		why = reason
	}
	clip, err := r.video.Frames(ctx, []int{n}, VideoSpec{Planes: SemiPlanar, Stored: true})
	if spool.ClassOf(err) == spool.ErrUnsupported { // it has no planes
		clip, err = r.video.Frames(ctx, []int{n}, VideoSpec{Stored: true})
	}
	if err != nil {
		return nil, err
	}
	i := r.video.info
	return &DeviceFrame{Frame: clip.Frames[0], Stored: clip.Stored, Width: i.Width, Height: i.Height, Clip: clip, Why: why}, nil
}

// onDevice has a frame decoded, or says why the device does not.
func (r *deviceReel) onDevice(ctx context.Context, n int) (f *DeviceFrame, why, err error) {
	v := r.video
	c, err := v.enter(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer c.Leave()
	s := &surfaces{reel: r, wanted: n}
	for _, run := range v.index.Plan([]int{n}).Runs {
		s.until = v.index.Through(run)
		err = v.player.play(c, run, s, manner{threads: 1, device: r.device}, true)
	}
	if err != nil {
		v.player.lose()
	}
	if c.Err() != nil || err == nil && s.failed == nil && s.frame != nil {
		return s.frame, nil, err
	}
	if s.frame != nil {
		s.frame.Release()
	}
	switch {
	case v.player.codec != nil && v.player.codec.Fallback() != nil:
		r.why = v.player.codec.Fallback()
		return nil, r.why, nil
	case err != nil && spool.ClassOf(err) == spool.ErrDevice:
		r.why = err
		return nil, err, nil
	case err != nil:
		return nil, err, nil
	case s.failed != nil:
		return nil, s.failed, nil
	}
	return nil, &spool.Error{Op: "decode", Class: spool.ErrDevice, Text: fmt.Sprintf("frame %d does not come from the device", n)}, nil
}

// surfaces is the screen of frames that stay on the device.
type surfaces struct {
	reel   *deviceReel
	wanted int
	until  int64
	frame  *DeviceFrame
	failed error
}

func (s *surfaces) leaves(packet int) bool {
	x := s.reel.video.index
	if x.Packets[packet].Flags&index.Disposable == 0 {
		return false
	}
	n, ok := x.FrameOf(packet)
	_, wanted := slices.BinarySearch(s.reel.frames, n)
	return !ok || !wanted
}

func (s *surfaces) damage(_ int, cause error) { s.failed = cause }

func (s *surfaces) show(_ *call.Call, f *av.Frame) (verdict, error) {
	x := s.reel.video.index
	n, ok := x.FrameAt(f.PTS)
	if !ok {
		return verdict{}, nil
	}
	if n == s.wanted && s.frame == nil {
		surface, on := f.Surface()
		if !on { // the processors', for a reason that the decoder knows: other frames would be as well
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
func (s *surfaces) keep(f *av.Frame, at av.Surface) error {
	r := s.reel
	x := r.video.index
	surface, err := f.Clone()
	if err != nil {
		return err
	}
	if !r.device.users.add() {
		surface.Release()
		return fmt.Errorf("decode: video device: %w", spool.ErrClosed)
	}
	kind := frameKind{format: f.PixelFormat, color: f.Color}
	s.frame = &DeviceFrame{Frame: Frame{Index: s.wanted, PTS: x.Time(s.wanted), Duration: x.Duration(s.wanted)},
		Stored: Stored{PixelFormat: map[int]string{8: "nv12", 10: "p010le", 16: "p016le"}[at.Bits], Bits: at.Bits, SubX: 2, SubY: 2,
			Matrix: int(f.Color.Matrix), Primaries: int(f.Color.Primaries), Transfer: int(f.Color.Transfer), Full: kind.full()},
		Width: f.Width, Height: f.Height, Luma: at.Luma, Chroma: at.Chroma, Pitch: at.Pitch, Stream: uintptr(r.device.stream),
		surface: surface, device: r.device, held: r.held}
	r.held.Add(1)
	return nil
}
