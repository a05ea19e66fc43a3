package av

/*
#cgo pkg-config: libswresample
#include <stdlib.h>
#include "audio.h"
#include "block.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
)

// Planes appends pointers to the frame's samples in C memory to dst: one plane per channel, or a single plane of
// interleaved channels, as SampleFormat specifies. They are valid until the next Receive or Release.
func (f *Frame) Planes(dst []unsafe.Pointer) ([]unsafe.Pointer, error) {
	if f.frame == nil {
		return nil, closed("frame")
	}
	room := max(f.Channels, 1)
	dst = slices.Grow(dst, room)
	n := C.spool_av_audio_planes(f.frame.UnsafePointer(), unsafe.SliceData(dst[len(dst):][:room]), C.int32_t(room))
	runtime.KeepAlive(f)
	if n < 0 {
		return nil, fmt.Errorf("%w: av: a frame without samples", spool.ErrInternal)
	}
	return dst[:len(dst)+int(n)], nil
}

// maxChannels bounds the channels of a matrix. swresample supports 64.
const maxChannels = 1 << 16

// Downmix returns swresample's matrix for a conversion between numbers of channels: out rows of in weights.
//
// layout is FFmpeg's name of the input's channel layout. If it is empty or invalid, the default layout of the number of
// channels is used. Top front channels are omitted if the output lacks them, as in FFmpeg 5.1 but not in 7.1, so that
// the weights are the same with both. If normalized, rows are scaled so that no sum exceeds full scale, as swresample
// does for integer output. Float output does not need it.
//
//   - Errors: unsupported for a number of channels without a default layout; spool.ErrOptions.
func Downmix(layout string, in, out int, normalized bool) ([]float64, error) {
	if in < 1 || out < 1 || in > maxChannels || out > maxChannels {
		return nil, fmt.Errorf("%w: av: %d channels from %d", spool.ErrOptions, out, in)
	}
	var name *C.char
	if layout != "" {
		name = C.CString(layout)
		defer C.free(unsafe.Pointer(name))
	}
	flag := C.int(0)
	if normalized {
		flag = 1
	}
	silence()
	matrix := make([]float64, in*out)
	if code := C.spool_av_audio_matrix(name, C.int32_t(in), C.int32_t(out), flag, (*C.double)(&matrix[0])); code < 0 {
		return nil, &spool.Error{Op: opDecode, Class: spool.ErrUnsupported, Lib: library, Code: int(code),
			Text: fmt.Sprintf("cannot mix %d channels to %d", in, out)}
	}
	return matrix, nil
}

// LayoutName returns FFmpeg's name of the channels in a mask. The first 18 bits are those of WAVE_FORMAT_EXTENSIBLE. An
// empty mask has an empty name.
func LayoutName(mask uint64) string {
	var name [64]C.char
	if C.spool_av_audio_layout(C.uint64_t(mask), &name[0], C.int(len(name))) < 0 {
		return ""
	}
	return C.GoString(&name[0])
}

// blockBytes is the memory of a block. It stays in a core's second cache, and has room for several frames of stereo.
const blockBytes = 64 << 10

// Block collects samples of several audio frames in C memory, so that one call of C decodes them. It may be used by one
// goroutine at a time.
type Block struct {
	Samples int // of each channel

	c       *C.spool_av_block // nil after Release
	cleanup runtime.Cleanup
}

type blockResource struct{ c *C.spool_av_block }

// blockHeader is the offset of the samples, which are aligned.
var blockHeader = (int(unsafe.Sizeof(C.spool_av_block{})) + mem.Alignment - 1) / mem.Alignment * mem.Alignment

func (b blockResource) free() { mem.Free(mem.Scratch, unsafe.Pointer(b.c), blockHeader+blockBytes) }

// NewBlock allocates an empty block. The caller MUST call Release.
func NewBlock() (*Block, error) {
	memory, err := mem.Alloc(mem.Scratch, blockHeader+blockBytes)
	if err != nil {
		return nil, err
	}
	b := &Block{c: (*C.spool_av_block)(memory)}
	b.c.memory, b.c.bytes = (*C.uint8_t)(unsafe.Add(memory, blockHeader)), blockBytes
	handles.Add(1)
	b.cleanup = runtime.AddCleanup(b, forget, resource(blockResource{b.c}))
	return b, nil
}

// BlockEnd is why FillBlock stopped before it had the samples that were asked for. At most one field is set.
type BlockEnd struct {
	Frame  bool  // the frame holds samples that do not fit: of another format, from damaged data, or too many
	Read   error // of Input.Read; io.EOF at the end
	Decode error // of Send or Receive; the decoder continues with the next packet
	Last   bool  // the decoder has no more frames
}

// FillBlock replaces the content of a block: it reads packets of a stream, decodes them, and collects the samples of
// frames that are like f, which the decoder returned last. It stops when the block has the number of samples, or has no
// room for one frame more. f holds no samples afterwards, unless BlockEnd.Frame is set.
//
//   - Cancellation: before each packet.
func (d *Decoder) FillBlock(c *call.Call, in *Input, stream int, p *Packet, f *Frame, b *Block,
	samples int64) (end BlockEnd) {
	b.Samples = 0
	switch {
	case d.codec == nil:
		return BlockEnd{Decode: closed("decoder")}
	case p.packet == nil:
		return BlockEnd{Decode: closed("packet")}
	case f.frame == nil:
		return BlockEnd{Decode: closed("frame")}
	case b.c == nil:
		return BlockEnd{Decode: closed("block")}
	}
	if err := in.ready(c, stream); err != nil {
		return BlockEnd{Read: err}
	}
	b.c.format, b.c.channels, b.c.rate = C.int32_t(f.SampleFormat), C.int32_t(f.Channels), C.int32_t(f.Rate)
	b.c.wanted = C.int64_t(samples)
	return d.fillBlock(c, in, stream, p, f, b)
}

func (d *Decoder) fillBlock(c *call.Call, in *Input, stream int, p *Packet, f *Frame, b *Block) (end BlockEnd) {
	defer c.Part("libavcodec: decode audio", c.Begin())
	defer runtime.KeepAlive(d)
	defer runtime.KeepAlive(p)
	defer runtime.KeepAlive(f)
	defer runtime.KeepAlive(b)
	in.state.begin(c)
	defer in.end()
	why := C.spool_av_block_fill(b.c, in.state.c, C.int(stream), pointer(d.codec), pointer(p.packet),
		f.frame.UnsafePointer())
	if err := d.age.err(); err != nil {
		return BlockEnd{Decode: err}
	}
	if err := in.state.age.err(); err != nil {
		return BlockEnd{Read: err}
	}
	b.Samples = int(b.c.samples)
	switch why {
	case C.SPOOL_AV_BLOCK_FRAME:
		f.describe()
		d.damaged = d.damaged || f.Corrupt
		return BlockEnd{Frame: true}
	case C.SPOOL_AV_BLOCK_READ:
		return BlockEnd{Read: in.readError(c, astiav.Error(b.c.code))}
	case C.SPOOL_AV_BLOCK_DECODE:
		return BlockEnd{Decode: d.failure(c, astiav.Error(b.c.code))}
	case C.SPOOL_AV_BLOCK_END:
		return BlockEnd{Last: true}
	}
	return BlockEnd{}
}

// Planes appends pointers to the samples to dst: one plane for each channel, or a single plane of interleaved channels,
// as in the frames. They are valid until the next FillBlock or Release.
func (b *Block) Planes(dst []unsafe.Pointer) []unsafe.Pointer {
	if b.c == nil {
		return dst
	}
	for i := range int(b.c.planes) {
		dst = append(dst, unsafe.Add(unsafe.Pointer(b.c.memory), i*int(b.c.room)*int(b.c.step)))
	}
	return dst
}

// Release frees the block. A second Release does nothing.
func (b *Block) Release() {
	if b.c != nil {
		b.cleanup.Stop()
		release(blockResource{b.c})
		b.c, b.Samples = nil, 0
	}
}
