package av

/*
#include "av.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// DecoderOptions describe how a stream is decoded.
type DecoderOptions struct {
	Name    string            // FFmpeg's name of the decoder; empty: the default of the codec
	Options map[string]string // options of the decoder

	// Threads is the number of decoder threads; 0 means 1. Usually files are decoded in parallel instead. More threads can
	// pay for one long video. A decoder with threads holds back as many frames. Send and Receive may run in a call with a
	// weight of Threads (call.Enter).
	Threads int

	// Device selects a hardware decoder by FFmpeg's name of its type, optionally with a colon and its name: "cuda",
	// "cuda:1", "vaapi:/dev/dri/renderD128". Frames are copied to host memory. If the device cannot decode, the CPU does,
	// and Decoder.Fallback returns the reason.
	Device string

	// CUDA decodes on a device and leaves frames there: see Frame.Surface. If the device cannot decode, the CPU does, and
	// Decoder.Fallback returns the reason. CUDA takes precedence over Device.
	CUDA CUDA

	// MaxPixels limits the size of a frame; 0 means FFmpeg's limit. Larger frames are rejected before memory is allocated.
	MaxPixels int64
}

func (o *DecoderOptions) validate() error {
	if o.Threads < 0 || o.Threads > maxThreads {
		return fmt.Errorf("%w: av: %d threads", spool.ErrOptions, o.Threads)
	}
	return nil
}

const maxThreads = 64 // about the same as FFmpeg's limits, which depend on the codec

// Decoder converts packets to frames. It may be used by one goroutine at a time.
type Decoder struct {
	codec      *astiav.CodecContext // nil after Close
	parameters Parameters
	options    DecoderOptions
	name       string
	age        age
	damaged    bool  // a packet was rejected
	skips      bool  // see SkipNonReference
	fallback   error // why the device is not used
	cleanup    runtime.Cleanup
}

type decoderResource struct {
	codec    *astiav.CodecContext
	age      age
	threaded bool
}

func (d *Decoder) resource() decoderResource {
	return decoderResource{d.codec, d.age, d.options.Threads > 1}
}

// free frees a decoder. One with threads is left alone if an allocation has failed: FFmpeg may abort the process.
func (d decoderResource) free() {
	if !d.threaded || !d.age.stale() {
		d.codec.Free()
	}
}

// NewDecoder opens a decoder. The caller MUST Close it.
//
//   - Errors: unsupported if this FFmpeg has no decoder for the codec; corrupt if the decoder rejects the parameters;
//     spool.ErrOptions for an unknown decoder, a decoder of another codec, or unknown options.
//   - Cost: 50 us to 1 ms, depending on the codec; more with threads.
func NewDecoder(c *call.Call, p Parameters, o DecoderOptions) (*Decoder, error) {
	defer c.Part("libavcodec: open decoder", c.Begin())
	if err := o.validate(); err != nil {
		return nil, err
	}
	if err := cancelled(c, opDecode); err != nil {
		return nil, err
	}
	if o.MaxPixels > 0 && int64(p.Width)*int64(p.Height) > o.MaxPixels {
		return nil, &spool.Error{Op: opDecode, Class: spool.ErrTooLarge,
			Text: fmt.Sprintf("frames of %dx%d: more than %d pixels", p.Width, p.Height, o.MaxPixels)}
	}
	silence()
	d := &Decoder{parameters: p, options: o, age: now()}
	if err := d.open(c); err != nil {
		return nil, err
	}
	return d, nil
}

func findDecoder(id astiav.CodecID, name string) (*astiav.Codec, error) {
	if name == "" {
		if codec := astiav.FindDecoder(id); codec != nil {
			return codec, nil
		}
		return nil, &spool.Error{Op: opDecode, Class: spool.ErrUnsupported, Lib: library, Text: "no decoder for " + id.Name()}
	}
	codec := astiav.FindDecoderByName(name)
	switch {
	case codec == nil:
		return nil, fmt.Errorf("%w: av: no decoder %q", spool.ErrOptions, name)
	case codec.ID() != id:
		return nil, fmt.Errorf("%w: av: decoder %q is not one of %s", spool.ErrOptions, name, id.Name())
	}
	return codec, nil
}

// open opens the codec of the options or, after a fallback, the default one.
func (d *Decoder) open(c *call.Call) error {
	parameters := astiav.AllocCodecParameters()
	if parameters == nil {
		return fmt.Errorf("%w: av: parameters", spool.ErrOutOfMemory)
	}
	defer parameters.Free()
	if err := d.parameters.fill(parameters); err != nil {
		return failure(c, opDecode, err)
	}
	name := d.options.Name
	switch {
	case d.fallback != nil:
		name = ""
	case name == "" && d.options.CUDA != CUDA{}: // FFmpeg's default may not support devices
		name = C.GoString(C.spool_av_cuda_decoder(C.int(parameters.CodecID())))
	}
	codec, err := findDecoder(parameters.CodecID(), name)
	if err != nil {
		return err
	}
	context := astiav.AllocCodecContext(codec)
	if context == nil {
		return fmt.Errorf("%w: av: decoder", spool.ErrOutOfMemory)
	}
	d.codec, d.name = context, codec.Name()
	if err := d.set(c, codec, parameters); err != nil {
		context.Free()
		d.codec = nil
		return err
	}
	handles.Add(1)
	d.cleanup = runtime.AddCleanup(d, forget, resource(d.resource()))
	return nil
}

// set sets the codec's parameters and options, and starts it.
func (d *Decoder) set(c *call.Call, codec *astiav.Codec, parameters *astiav.CodecParameters) (err error) {
	defer d.age.verify(&err)
	if err := d.codec.FromCodecParameters(parameters); err != nil {
		return failure(c, opDecode, err)
	}
	d.codec.SetThreadCount(max(d.options.Threads, 1))
	C.spool_av_decoder_prepare(pointer(d.codec), C.int(d.parameters.TimeBase.Num), C.int(d.parameters.TimeBase.Den),
		pixels(d.options.MaxPixels))
	switch {
	case d.options.CUDA != CUDA{} && d.fallback == nil:
		d.openCUDA()
	case d.options.Device != "":
		if err := d.openDevice(); err != nil {
			return err
		}
	}
	options, err := dictionary(d.options.Options)
	if err != nil {
		return err
	}
	defer options.Free()
	if err := d.codec.Open(codec, options); err != nil {
		return failure(c, opDecode, err)
	}
	return unused(options, d.options.Options, "decoder "+d.name)
}

// Name returns FFmpeg's name of the decoder.
func (d *Decoder) Name() string { return d.name }

// Send passes a packet to the decoder. nil ends the stream, and releases frames that the decoder holds back. The
// decoder accepts at least one packet after each Receive that returned false.
//
//   - Errors: corrupt for a damaged packet. The decoder continues with the next. Some decoders report it in Receive, or
//     not at all.
func (d *Decoder) Send(c *call.Call, p *Packet) (err error) {
	defer d.age.verify(&err)
	defer c.Part("libavcodec: send packet", c.Begin())
	if d.codec == nil {
		return closed("decoder")
	}
	if err := cancelled(c, opDecode); err != nil {
		return err
	}
	defer runtime.KeepAlive(d)
	var packet *astiav.Packet
	if p != nil {
		if packet = p.packet; packet == nil {
			return closed("packet")
		}
		defer runtime.KeepAlive(p)
	}
	err = d.codec.SendPacket(packet)
	if err != nil && d.onDevice() && errors.Is(err, posix(syscall.ENOSYS)) &&
		C.spool_av_device_refused(pointer(d.codec)) != 0 {
		if err := d.leaveDevice(c); err != nil {
			return err
		}
		err = d.codec.SendPacket(packet)
	}
	if err != nil {
		return d.failure(c, err)
	}
	return nil
}

// leaveDevice replaces a codec that decodes on devices only, as FFmpeg's own AV1 does, by the default one. The device
// rejects a stream at its first packet, or at a key frame of other dimensions, so no earlier packet is needed.
func (d *Decoder) leaveDevice(c *call.Call) error {
	d.fallback = d.fallbackReason()
	d.cleanup.Stop()
	release(d.resource())
	if err := d.open(c); err != nil {
		return err
	}
	C.spool_av_decoder_skip(pointer(d.codec), boolean(d.skips))
	return nil
}

// Receive returns the next frame in display order in f, and releases f's previous content. It returns false if the
// decoder needs a packet, or at the end.
//
//   - Errors: corrupt for a damaged packet. The decoder continues with the next.
func (d *Decoder) Receive(c *call.Call, f *Frame) (ok bool, err error) {
	defer d.age.verify(&err)
	defer c.Part("libavcodec: receive frame", c.Begin())
	if d.codec == nil {
		return false, closed("decoder")
	}
	if f.frame == nil {
		return false, closed("frame")
	}
	if err := cancelled(c, opDecode); err != nil {
		return false, err
	}
	defer runtime.KeepAlive(d)
	defer runtime.KeepAlive(f)
	err = d.codec.ReceiveFrame(f.frame)
	if errors.Is(err, astiav.ErrEagain) || errors.Is(err, astiav.ErrEof) {
		return false, nil
	}
	if err != nil {
		return false, d.failure(c, err)
	}
	if d.onDevice() {
		if err := d.download(c, f); err != nil {
			return false, err
		}
	}
	f.describe()
	d.damaged = d.damaged || f.Corrupt
	return true, nil
}

// failure returns the error of a packet or frame. With a device, errors other than damage are errors of the device.
func (d *Decoder) failure(c *call.Call, cause error) error {
	d.damaged = true
	err := failure(c, opDecode, cause)
	if e, ok := errors.AsType[*spool.Error](err); ok && c.Err() == nil && d.options.CUDA != (CUDA{}) && d.onDevice() &&
		!errors.Is(cause, astiav.ErrInvaliddata) {
		e.Class = spool.ErrDevice
	}
	return err
}

// Flush discards frames that are held back. It is required after a seek, and before other packets follow the last
// packet.
func (d *Decoder) Flush() {
	if d.codec != nil {
		C.spool_av_decoder_flush(pointer(d.codec))
		runtime.KeepAlive(d)
	}
}

// SkipNonReference makes the decoder skip non-reference frames of packets sent from now on. The other frames do not
// change. AV1 and VP9 skip none.
func (d *Decoder) SkipNonReference(skip bool) {
	if d.codec == nil || skip == d.skips {
		return
	}
	d.skips = skip
	C.spool_av_decoder_skip(pointer(d.codec), boolean(skip))
	runtime.KeepAlive(d)
}

// Close frees the decoder. It returns nil. A second Close does nothing.
func (d *Decoder) Close() error {
	if d.codec != nil {
		d.cleanup.Stop()
		release(d.resource())
		d.codec = nil
	}
	return nil
}
