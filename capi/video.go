package main

/*
#include "spool.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/deviceframes"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/transfer"
)

// spool_video_spec is the options for opening and decoding videos.
type spool_video_spec struct {
	settings.DecodeVideo
	*decoder
}

func (s *spool_video_spec) define(set *settings.Set) (judge func()) {
	return set.DecodeVideo(&s.DecodeVideo)
}

func (s *spool_video_spec) begin() (err error) {
	s.decoder, err = library.decoder(decoderKey{decoders.Options{Limits: s.Limits, Isolate: s.Isolate}, s.Stores})
	return err
}

// Close releases the decoder.
func (s *spool_video_spec) Close() error { return s.release() }

// spool_video is an open video. One call uses it at a time.
type spool_video struct {
	*video.Video
	*decoder
	serial
}

// openVideo opens a video, which holds the decoder until it is closed.
func openVideo(ctx context.Context, s *spool_video_spec, in input) (*spool_video, error) {
	d, err := library.decoder(s.key)
	if err != nil {
		return nil, err
	}
	v, err := d.Videos.Open(ctx, in.object(d.stores), s.Open)
	if err != nil {
		return nil, errors.Join(in.named(err), d.release())
	}
	return &spool_video{Video: v, decoder: d, serial: newSerial()}, nil
}

// Close ends the use of the video's bytes.
func (v *spool_video) Close() error { return errors.Join(v.Video.Close(), v.release()) }

// videoInfo is the result of spool_video_info. It shares keys with the command's probe.
type videoInfo struct {
	Format      string  `json:"format"`
	Stream      int     `json:"stream"`
	Codec       string  `json:"codec"`
	Width       int     `json:"width"` // of the upright frames
	Height      int     `json:"height"`
	PixelFormat string  `json:"pix_fmt"`
	Bits        int     `json:"bits"`
	Primaries   string  `json:"color_primaries"` // FFmpeg's names; empty if unspecified
	Transfer    string  `json:"color_transfer"`
	Matrix      string  `json:"color_space"`
	Aspect      [2]int  `json:"pixel_aspect"` // width by height of a pixel; zeros if unknown
	Rotation    float64 `json:"rotation"`
	Orientation int     `json:"orientation"`
	Frames      int     `json:"frames"`
	Rate        float64 `json:"rate"`
	Start       float64 `json:"start_s"`
	End         float64 `json:"end_s"`
	Bytes       int64   `json:"bytes"` // of the packets
	Cut         bool    `json:"cut"`
	Saved       bool    `json:"saved"`
}

func (v *spool_video) describe() videoInfo {
	i := v.Info()
	info := videoInfo{Format: i.Format, Stream: i.Stream, Codec: i.Codec, PixelFormat: i.PixelFormat, Bits: i.Bits,
		Primaries: i.Primaries, Transfer: i.Transfer, Matrix: i.Matrix,
		Aspect:   [2]int{int(i.Aspect.Num), int(i.Aspect.Den)},
		Rotation: i.Rotation, Orientation: i.Orientation, Frames: i.Frames, Rate: i.Rate,
		Start: i.Start, End: i.End, Cut: i.Cut, Saved: i.Saved}
	info.Width, info.Height = i.Oriented()
	for _, p := range v.Index().Packets {
		info.Bytes += int64(p.Size)
	}
	return info
}

// clip is decoded frames, in a new buffer or in C memory.
type clip struct {
	buffer *spool.Buffer // nil for C memory
	memory []byte
	report video.Report
}

// decode decodes the listed frames, or those of the spec if frames is NULL. It decodes into out unless that is nil.
func (v *spool_video) decode(ctx context.Context, s *spool_video_spec, frames *C.int64_t, n C.size_t,
	out []byte) (*clip, error) {
	wanted, err := v.wanted(s, frames, n)
	if err != nil {
		return nil, err
	}
	if out != nil {
		report, err := v.FramesInto(ctx, out, wanted, s.Spec)
		if err != nil {
			return nil, err
		}
		return &clip{memory: out, report: report}, nil
	}
	decoded, err := v.Frames(ctx, wanted, s.Spec)
	if err != nil {
		return nil, err
	}
	return &clip{buffer: decoded.Buffer, memory: decoded.Bytes(), report: decoded.Report}, nil
}

func (v *spool_video) wanted(s *spool_video_spec, frames *C.int64_t, n C.size_t) ([]int, error) {
	if frames != nil {
		wanted := make([]int, n)
		for i, frame := range unsafe.Slice(frames, n) {
			wanted[i] = int(frame)
		}
		return wanted, nil
	}
	wanted, all, err := s.Frames.Of(v.Video)
	if all {
		return index.Range(v.Len(), 0, v.Len(), 1)
	}
	return wanted, err
}

// dropMissing removes frames that could not be decoded from the clip.
func (c *clip) dropMissing() {
	size := len(c.memory) / max(1, len(c.report.Frames))
	at := 0
	for i, f := range c.report.Frames {
		if f.State == video.Missing {
			continue
		}
		if at < i {
			copy(c.memory[at*size:][:size], c.memory[i*size:])
		}
		c.report.Frames[at] = f
		at++
	}
	c.report.Frames = c.report.Frames[:at]
	c.report.Desc.Shape = slices.Clone(c.report.Desc.Shape)
	c.report.Desc.Shape[0] = at
}

// handOver passes a clip to C, and releases it on error.
func (c *clip) handOver(to *C.spool_clip) (err error) {
	work := c.report.Work
	*to = C.spool_clip{read: C.int64_t(work.Read), decoded: C.int64_t(work.Decoded), skipped: C.int64_t(work.Skipped),
		seeks: C.int64_t(work.Seeks), damaged: C.int64_t(len(c.report.Damage))}
	if c.buffer != nil {
		c.buffer.SetDesc(c.report.Desc)
		if to.pixels, err = bufferArray(c.buffer); err != nil {
			return err
		}
	}
	if err = describe(&to.view, c.report.Desc); err == nil {
		to.view.data = unsafe.Pointer(unsafe.SliceData(c.memory))
		to.frames, err = frameArray(c.report.Frames, func(int) bool { return false })
	}
	if err != nil {
		C.spool_array_release(to.pixels)
	}
	return err
}

// frameArray passes a table of frames to C.
func frameArray(frames []video.Frame, key func(i int) bool) (*C.spool_array, error) {
	const size = C.sizeof_spool_frame
	b, err := library.results.Get(context.Background(), max(1, size*len(frames)))
	if err != nil {
		return nil, err
	}
	b.SetDesc(spool.Desc{Shape: spool.Shape{len(frames), size}})
	rows := unsafe.Slice((*C.spool_frame)(unsafe.Pointer(unsafe.SliceData(b.Bytes()))), len(frames))
	for i, f := range frames {
		rows[i] = C.spool_frame{index: C.int64_t(f.Index), pts: C.double(f.PTS), duration: C.double(f.Duration),
			state: C.int32_t(f.State)}
		if key(i) {
			rows[i].key = 1
		}
	}
	return bufferArray(b)
}

// frameTable returns the table of all frames of a video.
func frameTable(x *index.Index) (*C.spool_array, error) {
	frames := make([]video.Frame, x.Len())
	for i := range frames {
		frames[i] = video.Frame{Index: i, PTS: x.Time(i), Duration: x.Duration(i)}
	}
	return frameArray(frames, func(i int) bool { return x.Packets[x.PacketOf(i)].Flags&index.Key != 0 })
}

// decodeOn decodes frames to a device, and passes them to C. Where the device does not make them, the host does, and
// they are copied: why is the reason then.
func (v *spool_video) decodeOn(ctx context.Context, s *spool_video_spec, d *spool_device, frames *C.int64_t, n C.size_t,
	to *C.spool_clip) (why, err error) {
	wanted, err := v.wanted(s, frames, n)
	if err != nil {
		return nil, err
	}
	c := &clip{}
	var on *transfer.Batch
	if why = deviceframes.Refusal(v.Info(), s.Spec); why == nil {
		var videos *video.Device
		if videos, err = d.frames(); err != nil {
			return nil, err
		}
		on, c.report.Frames, why, err = deviceframes.Decode(ctx, v.Video, videos, d.copier, wanted, s.Spec,
			func(work func(context.Context) (*transfer.Batch, error)) (*transfer.Batch, error) {
				return d.queue(ctx, work)
			})
	}
	if err == nil && why != nil {
		on, c, err = v.copied(ctx, s, d, frames, n)
	}
	if err != nil {
		return nil, err
	}
	c.report.Desc = on.Arrays()[0].Desc
	pixels, err := handArray(d.hold(on))
	if err != nil {
		return nil, err
	}
	if err := c.handOver(to); err != nil {
		C.spool_array_release(pixels)
		return nil, err
	}
	to.pixels = pixels
	C.spool_array_describe(pixels, &to.view)
	return why, nil
}

// copied decodes frames on the host, and copies them.
func (v *spool_video) copied(ctx context.Context, s *spool_video_spec, d *spool_device, frames *C.int64_t,
	n C.size_t) (*transfer.Batch, *clip, error) {
	c, err := v.decode(ctx, s, frames, n, nil)
	if err != nil {
		return nil, nil, err
	}
	if s.Skip {
		c.dropMissing()
	}
	buffer := c.buffer
	buffer.SetDesc(c.report.Desc)
	c.buffer, c.memory = nil, nil
	on, err := d.queue(ctx, func(ctx context.Context) (*transfer.Batch, error) { return d.copier.CopyBuffer(ctx, buffer) })
	if err != nil {
		buffer.Release()
	}
	return on, c, err
}

//export goVideoSpecNew
func goVideoSpecNew(json *C.char, spec *C.uintptr_t, e *C.spool_error) C.int32_t {
	return newSpec(new(spool_video_spec), json, spec, e)
}

//export goVideoSpecRelease
func goVideoSpecRelease(spec C.uintptr_t) {
	guard(nil, "release", func() error { return release[*spool_video_spec](spec) })
}

//export goVideoOpen
func goVideoOpen(spec C.uintptr_t, source *C.spool_source, cancel C.uintptr_t, video *C.uintptr_t,
	e *C.spool_error) C.int32_t {
	return openMedia(openVideo, spec, source, cancel, video, e)
}

//export goVideoClose
func goVideoClose(video C.uintptr_t) {
	guard(nil, "close", func() error { return release[*spool_video](video) })
}

//export goVideoInfo
func goVideoInfo(video C.uintptr_t, json **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "describe", func() error {
		return use(video, func(_ context.Context, v *spool_video) (err error) {
			*json, err = jsonArray(v.describe())
			return err
		})
	})
}

//export goVideoFrames
func goVideoFrames(video C.uintptr_t, frames **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "describe", func() error {
		return use(video, func(_ context.Context, v *spool_video) (err error) {
			*frames, err = frameTable(v.Index())
			return err
		})
	})
}

//export goVideoDecode
func goVideoDecode(video, spec C.uintptr_t, frames *C.int64_t, n C.size_t, cancel C.uintptr_t, to *C.spool_clip,
	e *C.spool_error) C.int32_t {
	return decodeVideo(video, spec, frames, n, cancel, nil, to, e)
}

//export goVideoDecodeInto
func goVideoDecodeInto(video, spec C.uintptr_t, frames *C.int64_t, n C.size_t, cancel C.uintptr_t, out unsafe.Pointer,
	size C.size_t,
	to *C.spool_clip, e *C.spool_error) C.int32_t {
	room, err := cBytes(out, size)
	if err == nil && room == nil {
		err = fmt.Errorf("%w: a NULL in place of the memory to decode into", spool.ErrOptions)
	}
	if err != nil {
		return guard(e, "decode", func() error { return err })
	}
	return decodeVideo(video, spec, frames, n, cancel, room, to, e)
}

func decodeVideo(video, spec C.uintptr_t, frames *C.int64_t, n C.size_t, cancel C.uintptr_t, out []byte,
	to *C.spool_clip, e *C.spool_error) C.int32_t {
	return decodeMedia(video, spec, cancel, e, func(ctx context.Context, v *spool_video, s *spool_video_spec) error {
		c, err := v.decode(ctx, s, frames, n, out)
		if err != nil {
			return err
		}
		if s.Skip {
			c.dropMissing()
		}
		return c.handOver(to)
	})
}

//export goVideoDecodeOn
func goVideoDecodeOn(video, spec, device C.uintptr_t, frames *C.int64_t, n C.size_t, cancel C.uintptr_t,
	to *C.spool_clip, why **C.spool_array, e *C.spool_error) C.int32_t {
	return decodeMedia(video, spec, cancel, e, func(ctx context.Context, v *spool_video, s *spool_video_spec) error {
		return use(device, func(_ context.Context, d *spool_device) error {
			reason, err := v.decodeOn(ctx, s, d, frames, n, to)
			if err != nil || reason == nil || why == nil {
				return err
			}
			*why, err = textArray([]byte(reason.Error()))
			return err
		})
	})
}
