package av

/*
#include "av.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// DecoderOptions say how a stream is decoded.
type DecoderOptions struct {
	Name    string            // FFmpeg's name for the decoder; empty: its first choice for the codec
	Options map[string]string // the decoder's own

	// Threads of the decoder's own; 0: 1. Parallelism is across files; for one long film more may pay. A decoder with threads
	// holds back as many frames, and Send and Receive may be called at a weight of call.Enter as large.
	Threads int

	// Device decodes where there is one that can: FFmpeg's name for its type, and after a colon which of them, "cuda",
	// "cuda:1", "vaapi:/dev/dri/renderD128". Decoder.Fallback tells where there is none. Frames are copied to the
	// machine's memory.
	Device string

	// CUDA decodes on a device and leaves frames there: see Frame.Surface. Where it does not, Decoder.Fallback tells why, and
	// frames are the processors'. It goes before Device.
	CUDA CUDA

	// MaxPixels of a picture; 0: as many as FFmpeg takes. Larger ones are refused before memory is taken for them.
	MaxPixels int64
}

func (o *DecoderOptions) validate() error {
	if o.Threads < 0 || o.Threads > maxThreads {
		return fmt.Errorf("%w: av: %d threads", spool.ErrOptions, o.Threads)
	}
	return nil
}

const maxThreads = 64 // FFmpeg's own bound is of that size, and depends on the codec

// Decoder makes frames of packets. It belongs to one goroutine at a time.
type Decoder struct {
	codec      *astiav.CodecContext // nil when closed
	parameters Parameters
	options    DecoderOptions
	name       string
	damaged    bool  // a packet was refused
	fallback   error // why the device is not used
	cleanup    runtime.Cleanup
}

type heldDecoder struct{ *astiav.CodecContext }

func (d heldDecoder) free() { d.Free() }

// NewDecoder opens a decoder. The caller MUST Close it.
//
//	Errors: unsupported: this FFmpeg has no decoder for the codec; corrupt: parameters that the decoder refuses;
//	        spool.ErrOptions for an unknown decoder, one of another codec, or options that it does not have.
//	Cost:   50 us to 1 ms by codec; more with threads.
func NewDecoder(c *call.Call, p Parameters, o DecoderOptions) (*Decoder, error) {
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
	parameters := astiav.AllocCodecParameters()
	if parameters == nil {
		return nil, fmt.Errorf("%w: av: parameters", spool.ErrOutOfMemory)
	}
	defer parameters.Free()
	if err := p.fill(parameters); err != nil {
		return nil, failure(c, opDecode, err)
	}
	name := o.Name
	if name == "" && (o.CUDA != CUDA{}) { // FFmpeg's first choice may know no devices
		name = C.GoString(C.spool_av_cuda_decoder(C.int(parameters.CodecID())))
	}
	codec, err := findDecoder(parameters.CodecID(), name)
	if err != nil {
		return nil, err
	}
	context := astiav.AllocCodecContext(codec)
	if context == nil {
		return nil, fmt.Errorf("%w: av: decoder", spool.ErrOutOfMemory)
	}
	d := &Decoder{codec: context, parameters: p, options: o, name: codec.Name()}
	if err := d.open(c, codec, parameters); err != nil {
		context.Free()
		return nil, err
	}
	handles.Add(1)
	d.cleanup = runtime.AddCleanup(d, forget, held(heldDecoder{context}))
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

func (d *Decoder) open(c *call.Call, codec *astiav.Codec, parameters *astiav.CodecParameters) error {
	if err := d.codec.FromCodecParameters(parameters); err != nil {
		return failure(c, opDecode, err)
	}
	d.codec.SetThreadCount(max(d.options.Threads, 1))
	C.spool_av_decoder_prepare(pointer(d.codec), C.int(d.parameters.TimeBase.Num), C.int(d.parameters.TimeBase.Den), pixels(d.options.MaxPixels))
	switch {
	case d.options.CUDA != CUDA{}:
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

// Name is FFmpeg's for the decoder.
func (d *Decoder) Name() string { return d.name }

// Send gives the decoder a packet, nil: there are no more, and what is held back is to come. It takes one at least
// after each Receive that gave no frame.
//
//	Errors: corrupt for a damaged packet: the decoder goes on with the next. Not every decoder says so here.
func (d *Decoder) Send(c *call.Call, p *Packet) error {
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
	if err := d.codec.SendPacket(packet); err != nil {
		return d.failure(c, err)
	}
	return nil
}

// Receive gives the next frame in the order of display, or false: it wants a packet, or there are no more. What f was before is
// released.
//
//	Errors: corrupt for a damaged packet: the decoder goes on with the next.
func (d *Decoder) Receive(c *call.Call, f *Frame) (bool, error) {
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
	err := d.codec.ReceiveFrame(f.frame)
	if errors.Is(err, astiav.ErrEagain) || errors.Is(err, astiav.ErrEof) {
		return false, nil
	}
	if err != nil {
		return false, d.failure(c, err)
	}
	if d.onDevice() {
		if err := d.land(c, f); err != nil {
			return false, err
		}
	}
	f.describe()
	d.damaged = d.damaged || f.Corrupt
	return true, nil
}

// failure is the error of a packet or frame. What is no damage is the device's, where there is one.
func (d *Decoder) failure(c *call.Call, cause error) error {
	d.damaged = true
	err := failure(c, opDecode, cause)
	if e, ok := errors.AsType[*spool.Error](err); ok && c.Err() == nil && d.options.CUDA != (CUDA{}) && d.onDevice() && !errors.Is(cause, astiav.ErrInvaliddata) {
		e.Class = spool.ErrDevice
	}
	return err
}

// Flush forgets what is held back, as is needed after a seek, and after the last packet before others are sent.
func (d *Decoder) Flush() {
	if d.codec != nil {
		C.spool_av_decoder_flush(pointer(d.codec))
		runtime.KeepAlive(d)
	}
}

// SkipNonReference has the frames of the packets sent from now on left out that no other frame refers to. It changes no frame
// that does come. AV1 and VP9 skip none.
func (d *Decoder) SkipNonReference(skip bool) {
	if d.codec == nil {
		return
	}
	flag := C.int(0)
	if skip {
		flag = 1
	}
	C.spool_av_decoder_skip(pointer(d.codec), flag)
	runtime.KeepAlive(d)
}

// Close frees the decoder. It returns nil; a second Close does nothing.
func (d *Decoder) Close() error {
	if d.codec != nil {
		d.cleanup.Stop()
		release(heldDecoder{d.codec})
		d.codec = nil
	}
	return nil
}
