package av

/*
#include <stdlib.h>
#include <libavutil/pixdesc.h>
#include "av.h"
*/
import "C"

import (
	"errors"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
)

// Color describes the color of an image in the code points of ITU-T H.273, as FFmpeg does. 2 is unspecified; for Range
// and ChromaLocation, 0 is.
type Color struct {
	Matrix         int32
	Range          int32 // 1 limited, 2 full
	Primaries      int32
	Transfer       int32
	ChromaLocation int32
}

// Names are FFmpeg's names of primaries, transfer and matrix, such as "bt709"; empty for those that are unspecified.
func (c Color) Names() (primaries, transfer, matrix string) {
	named := func(name *C.char) string {
		if s := C.GoString(name); s != "unknown" {
			return s
		}
		return ""
	}
	return named(C.av_color_primaries_name(uint32(c.Primaries))), named(C.av_color_transfer_name(uint32(c.Transfer))),
		named(C.av_color_space_name(uint32(c.Matrix)))
}

// Parameters are what a decoder needs to know about a stream. They are plain data, and can be stored and passed to a
// decoder in another process. Names are FFmpeg's.
type Parameters struct {
	Codec      string
	Tag        uint32
	Extradata  []byte
	BitRate    int64
	BitsCoded  int32
	BitsRaw    int32
	Profile    int32
	Level      int32
	TimeBase   Ratio
	BlockAlign int32
	FrameSize  int32

	// For video.
	Width, Height int32
	PixelFormat   string
	Delay         int32 // frames that a decoder holds back for reordering
	FieldOrder    int32
	Aspect        Ratio // of a pixel
	Color         Color

	// For audio.
	Channels, Rate    int32
	Layout            string
	SampleFormat      string
	Padding, Trailing int32 // samples that the encoder added at the start and at the end
	Preroll           int32 // samples to decode and discard after a seek
}

// Parameters returns the parameters of a stream.
func (in *Input) Parameters(stream int) (Parameters, error) {
	if in.state == nil {
		return Parameters{}, closed("input")
	}
	if stream < 0 || stream >= in.state.context.NbStreams() {
		return Parameters{}, in.state.noStream(stream)
	}
	defer runtime.KeepAlive(in)
	var p C.spool_av_parameters
	C.spool_av_parameters_of(in.state.c.context, C.int(stream), &p)
	return parametersOf(&p), nil
}

// parametersOf copies parameters from C.
func parametersOf(p *C.spool_av_parameters) Parameters {
	return Parameters{
		Codec: C.GoString(p.codec), Tag: uint32(p.tag), Extradata: C.GoBytes(unsafe.Pointer(p.extradata), p.extradata_size),
		BitRate: int64(p.bit_rate), BitsCoded: int32(p.bits_coded), BitsRaw: int32(p.bits_raw), Profile: int32(p.profile),
		Level:    int32(p.level),
		TimeBase: Ratio{int(p.base_num), int(p.base_den)}, BlockAlign: int32(p.block_align), FrameSize: int32(p.frame_size),
		Width: int32(p.width), Height: int32(p.height), PixelFormat: C.GoString(p.pixel_format), Delay: int32(p.delay),
		FieldOrder: int32(p.field_order), Aspect: Ratio{int(p.aspect_num), int(p.aspect_den)},
		Color:    Color{int32(p.matrix), int32(p._range), int32(p.primaries), int32(p.transfer), int32(p.chroma_location)},
		Channels: int32(p.channels), Rate: int32(p.rate), Layout: C.GoString(&p.layout[0]),
		SampleFormat: C.GoString(p.sample_format),
		Padding:      int32(p.padding), Trailing: int32(p.trailing), Preroll: int32(p.preroll),
	}
}

// fill writes the parameters to FFmpeg's struct.
func (p *Parameters) fill(to *astiav.CodecParameters) error {
	c := C.spool_av_parameters{
		tag: C.uint32_t(p.Tag), extradata_size: C.int32_t(len(p.Extradata)), bit_rate: C.int64_t(p.BitRate),
		bits_coded: C.int32_t(p.BitsCoded), bits_raw: C.int32_t(p.BitsRaw), profile: C.int32_t(p.Profile),
		level:       C.int32_t(p.Level),
		block_align: C.int32_t(p.BlockAlign), frame_size: C.int32_t(p.FrameSize),
		width: C.int32_t(p.Width), height: C.int32_t(p.Height), delay: C.int32_t(p.Delay),
		field_order: C.int32_t(p.FieldOrder),
		aspect_num:  C.int32_t(p.Aspect.Num), aspect_den: C.int32_t(p.Aspect.Den),
		matrix: C.int32_t(p.Color.Matrix), _range: C.int32_t(p.Color.Range), primaries: C.int32_t(p.Color.Primaries),
		transfer: C.int32_t(p.Color.Transfer), chroma_location: C.int32_t(p.Color.ChromaLocation),
		channels: C.int32_t(p.Channels), rate: C.int32_t(p.Rate), padding: C.int32_t(p.Padding),
		trailing: C.int32_t(p.Trailing),
		preroll:  C.int32_t(p.Preroll),
	}
	for _, name := range []struct {
		c  **C.char
		of string
	}{{&c.codec, p.Codec}, {&c.pixel_format, p.PixelFormat}, {&c.sample_format, p.SampleFormat}} {
		if name.of != "" {
			*name.c = C.CString(name.of)
			defer C.free(unsafe.Pointer(*name.c))
		}
	}
	for i := range min(len(p.Layout), len(c.layout)-1) {
		c.layout[i] = C.char(p.Layout[i])
	}
	if len(p.Extradata) > 0 {
		c.extradata = (*C.uint8_t)(C.CBytes(p.Extradata))
		defer C.free(unsafe.Pointer(c.extradata))
	}
	code := astiav.Error(C.spool_av_parameters_to(&c, pointer(to)))
	if code >= 0 {
		return nil
	}
	if errors.Is(code, posix(syscall.ENOMEM)) {
		return spool.ErrOutOfMemory
	}
	return code
}
