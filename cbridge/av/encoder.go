package av

/*
#include <stdlib.h>
#include "encoder.h"
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

const opEncode = "encode"

// silenceEncoders tells SVT-AV1 not to print: errors are returned. It ignores FFmpeg's log level, and has no other
// setting.
var silenceEncoders = sync.OnceFunc(func() {
	if _, set := os.LookupEnv("SVT_LOG"); !set {
		_ = os.Setenv("SVT_LOG", "0")
	}
})

// Encoding describes the source and the encoded stream. Names are FFmpeg's.
type Encoding struct {
	Codec   string            // of an encoder, or of a codec, for its default encoder
	Options map[string]string // options of the encoder
	Threads int               // threads of the encoder; 0: 1
	Global  bool              // the container needs the stream's headers out of band (Container.Global)

	// Given is the pixel or sample format of the source, and Stored that of the stream. If Stored is empty, a lossless
	// codec stores the source's format. Other codecs store 4:2:0, or 4:4:4 for odd sizes. Audio is stored in the source's
	// format if the codec has it.
	Given, Stored string

	// For video. FrameRate is in frames per second. Base is the unit of times; if it is zero, times count frames.
	Width, Height int
	FrameRate     Ratio
	Base          Ratio

	// For audio, which is selected by a nonzero Channels. Times count samples.
	Channels, Rate int
}

func (e *Encoding) base() Ratio {
	switch {
	case e.Channels > 0:
		return Ratio{1, e.Rate}
	case e.Base.Den > 0:
		return e.Base
	}
	return Ratio{e.FrameRate.Den, e.FrameRate.Num}
}

// Encoder converts pixels or samples to packets. It may be used by one goroutine at a time.
type Encoder struct {
	c       *C.spool_av_encoder // nil after Close
	base    Ratio
	steady  bool // each image lasts one tick
	age     age
	cleanup runtime.Cleanup
}

type encoderResource struct{ c *C.spool_av_encoder }

func (e encoderResource) free() { C.spool_av_encoder_close(e.c) }

// NewEncoder opens an encoder. The caller MUST Close it.
//
//   - Color: RGB is converted to YUV as by the ffmpeg command, with limited range. The matrix is BT.601, or BT.709 from
//     720 rows on. The stream has these as metadata. Motion JPEG has full range. A stream of YUV source pixels has no
//     such metadata.
//   - Errors: unsupported if this FFmpeg lacks the encoder, or if the encoder does not accept such images or samples.
//     The text lists the encoders of this FFmpeg. spool.ErrOptions for options that are unknown or rejected.
//   - Cost: 1 to 50 ms, depending on the codec.
func NewEncoder(c *call.Call, e Encoding) (*Encoder, error) {
	if err := cancelled(c, opEncode); err != nil {
		return nil, err
	}
	silence()
	silenceEncoders()
	base := e.base()
	encoding := C.spool_av_encoding{
		base_num: C.int32_t(base.Num), base_den: C.int32_t(base.Den),
		threads: C.int32_t(max(e.Threads, 1)), width: C.int32_t(e.Width), height: C.int32_t(e.Height),
		rate_num: C.int32_t(e.FrameRate.Num), rate_den: C.int32_t(e.FrameRate.Den), channels: C.int32_t(e.Channels),
	}
	if e.Channels > 0 {
		encoding.rate_num, encoding.rate_den = C.int32_t(e.Rate), 1
	}
	if e.Global {
		encoding.global = 1
	}
	for _, name := range []struct {
		c  **C.char
		of string
	}{{&encoding.codec, e.Codec}, {&encoding.given, e.Given}, {&encoding.stored, e.Stored}} {
		if name.of != "" {
			*name.c = C.CString(name.of)
			defer C.free(unsafe.Pointer(*name.c))
		}
	}
	options, err := dictionary(e.Options)
	if err != nil {
		return nil, err
	}
	defer options.Free()
	encoder := &Encoder{base: base, steady: e.Channels == 0 && e.Base.Den == 0, age: now()}
	code := C.spool_av_encoder_open(&encoding, unsafe.Pointer(options), &encoder.c)
	if err := encoder.age.err(); err != nil {
		if code >= 0 {
			encoderResource{encoder.c}.free()
		}
		return nil, err
	}
	if code < 0 {
		return nil, e.refusal(c, astiav.Error(code))
	}
	handles.Add(1)
	encoder.cleanup = runtime.AddCleanup(encoder, forget, resource(encoderResource{encoder.c}))
	if err := unused(options, e.Options, "encoder "+encoder.Name()); err != nil {
		return nil, errors.Join(err, encoder.Close())
	}
	return encoder, nil
}

// refusal returns the error of an encoder that did not open.
func (e *Encoding) refusal(c *call.Call, code astiav.Error) error {
	unsupported := func(format string, args ...any) error {
		return &spool.Error{Op: opEncode, Class: spool.ErrUnsupported, Lib: library, Code: int(code),
			Text: fmt.Sprintf(format, args...)}
	}
	kind := Video
	if e.Channels > 0 {
		kind = Audio
	}
	switch code {
	case astiav.ErrEncoderNotFound:
		return unsupported("this FFmpeg has no %v encoder %q; it has %s", kind, e.Codec,
			strings.Join(Encoders(kind, ""), ", "))
	case posix(syscall.ENOSYS):
		return unsupported("%s cannot store %s as %s", e.Codec, e.Given, cmp.Or(e.Stored, "anything"))
	case posix(syscall.EINVAL), astiav.ErrExternal, astiav.ErrExperimental, astiav.ErrPatchwelcome, astiav.ErrUnknown,
		posix(syscall.EPERM):
		if rates := sampleRates(e.Codec); kind == Audio && len(rates) > 0 && !slices.Contains(rates, fmt.Sprint(e.Rate)) {
			return unsupported("%s has no rate of %d; it has %s", e.Codec, e.Rate, strings.Join(rates, ", "))
		}
		what := fmt.Sprintf("%dx%d %s", e.Width, e.Height, cmp.Or(e.Stored, e.Given))
		if kind == Audio {
			what = fmt.Sprintf("%d channels at %d Hz", e.Channels, e.Rate)
		}
		return fmt.Errorf("%w: %w", spool.ErrOptions, unsupported("%s refuses %s with options %v", e.Codec, what, e.Options))
	}
	return failure(c, opEncode, code)
}

// maxEncoders bounds the list of encoders. FFmpeg has about 200.
const maxEncoders = 1024

// Encoders returns the names of this FFmpeg's encoders for a kind of stream in a container, by FFmpeg's name of its
// format. An empty format means any container. Hardware encoders, which may have no device, and experimental encoders
// are excluded.
func Encoders(kind Kind, format string) []string {
	var of *C.char
	if format != "" {
		of = C.CString(format)
		defer C.free(unsafe.Pointer(of))
	}
	video := C.int(0)
	if kind == Video {
		video = 1
	}
	var list [maxEncoders]*C.char
	n := C.spool_av_encoders(video, of, unsafe.SliceData(list[:]), maxEncoders)
	names := make([]string, n)
	for i, name := range list[:n] {
		names[i] = C.GoString(name)
	}
	slices.Sort(names)
	return names
}

func sampleRates(codec string) []string {
	name := C.CString(codec)
	defer C.free(unsafe.Pointer(name))
	var text [256]C.char
	C.spool_av_encoder_rates(name, &text[0], C.size_t(len(text)))
	if text[0] == 0 {
		return nil
	}
	return strings.Split(C.GoString(&text[0]), ", ")
}

// Name returns FFmpeg's name of the encoder.
func (e *Encoder) Name() string { return C.GoString(C.spool_av_encoder_name(e.c)) }

// Stored returns the pixel or sample format of the stream.
func (e *Encoder) Stored() string { return C.GoString(C.spool_av_encoder_format(e.c)) }

// TimeBase returns the time base of the packets.
func (e *Encoder) TimeBase() Ratio { return e.base }

// Image encodes an image. pixels has the format's planes one after another, rows without gaps, and the exact number
// of bytes. pts must increase. All available packets must be received after each image.
func (e *Encoder) Image(c *call.Call, pixels []byte, pts int64) error {
	return e.do(c, func() C.int {
		return C.spool_av_encoder_image(e.c, (*C.uint8_t)(unsafe.SliceData(pixels)), C.int64_t(pts))
	})
}

// Samples adds n samples of each channel, interleaved, or as planes that are stride bytes apart. Step encodes them.
func (e *Encoder) Samples(c *call.Call, samples []byte, stride, n int) error {
	return e.do(c, func() C.int {
		return C.spool_av_encoder_samples(e.c, (*C.uint8_t)(unsafe.SliceData(samples)), C.ptrdiff_t(stride), C.int32_t(n))
	})
}

// Step encodes one frame of added samples, of the codec's frame size. It returns false if there are not enough samples.
// With end, it encodes the remaining samples as a shorter frame. All available packets must be received after each
// step.
func (e *Encoder) Step(c *call.Call, end bool) (more bool, err error) {
	flag := C.int(0)
	if end {
		flag = 1
	}
	err = e.do(c, func() C.int {
		code := C.spool_av_encoder_step(e.c, flag)
		more = code > 0
		return code
	})
	return more, err
}

// Drain ends the input. Packets that the encoder holds back can then be received.
func (e *Encoder) Drain(c *call.Call) error {
	return e.do(c, func() C.int { return C.spool_av_encoder_drain(e.c) })
}

// Receive returns the next packet, or false if none is available.
func (e *Encoder) Receive(c *call.Call, p *Packet) (ok bool, err error) {
	if p.packet == nil {
		return false, closed("packet")
	}
	err = e.do(c, func() C.int {
		code := C.spool_av_encoder_receive(e.c, pointer(p.packet))
		ok = code > 0
		return code
	})
	runtime.KeepAlive(p)
	return ok, err
}

func (e *Encoder) do(c *call.Call, work func() C.int) error {
	_, err := do(c, opEncode, "encoder", e.c != nil, work)
	e.age.verify(&err)
	runtime.KeepAlive(e)
	return err
}

// Close frees the encoder. It returns nil. A second Close does nothing.
func (e *Encoder) Close() error {
	if e.c != nil {
		e.cleanup.Stop()
		release(encoderResource{e.c})
		e.c = nil
	}
	return nil
}
