package av

/*
#cgo CFLAGS: -O3 -Wall -Wextra -Werror -I${SRCDIR}/../call -I${SRCDIR}/../kernel
#cgo pkg-config: libavformat libavcodec libavutil libswscale
#include <stdlib.h>
#include "av.h"
*/
import "C"

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/cgo"
	"slices"
	"sync"
	"unsafe"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
)

// silence keeps FFmpeg from printing, in the whole process. (go-astiav's log callback overflows its buffer.)
var silence = sync.OnceFunc(func() { astiav.SetLogLevel(astiav.LogLevelQuiet) })

// InputOptions say how an input is opened.
type InputOptions struct {
	Format  string            // FFmpeg's name for the demuxer; empty: found by content
	Options map[string]string // the demuxer's own

	// NoProbe does without the packets that are read, and the frames that are decoded, to learn what the container's
	// header does not say: for those who have the streams' Parameters already. Only containers that
	// write time stamps down (MP4, Matroska) give the same packets then; those of Matroska have no DTS.
	NoProbe bool

	// Tables is for who wants what the container's tables say of packets, and nothing of what these hold: Scan tells no more
	// than times, places, sizes and what the container takes for a key, and packets hold zeros.
	Tables bool

	// MaxPixels of a picture; 0: as many as FFmpeg takes. Larger ones are left out of what is learned by decoding.
	MaxPixels int64
}

// Input is an open file, or what takes its place. It belongs to one goroutine at a time.
type Input struct {
	state   *input // nil when closed
	cleanup runtime.Cleanup
}

// input is what has to be freed. go-astiav's own opening is not used: it leaves an entry in a global map when it
// fails, and cannot be cancelled without handing C a Go pointer.
type input struct {
	c       *C.spool_av_input // in C memory: FFmpeg's callbacks look there
	context *astiav.FormatContext
	source  *source
	guess   guess
	media   Media
	wanted  []int   // streams; nil: all
	reader  *reader // when the bytes come from Go
	handle  cgo.Handle
	pins    runtime.Pinner // of the bytes, when they are in memory
}

// Open opens an object and says what it holds (Input.Media). Its name is not looked at: content decides.
//
//	Ownership:    the object is lent until Close. A spool.Opener is opened, and closed with the input.
//	Cancellation: between reads, and while the object's ReadAt blocks. One that does not return is
//	              abandoned, and the error says so; the input is of no more use then.
//	Errors:       as Probe's; spool.ErrOptions for no object, or options that make no sense.
//	Cost:         1 to 50 ms, by how much has to be read; a tenth with NoProbe.
func Open(c *call.Call, object spool.Object, o InputOptions) (*Input, error) {
	s, err := newSource(c.Context(), object)
	if err != nil {
		return nil, err
	}
	if err := cancelled(c, opProbe); err != nil {
		s.close()
		return nil, spool.InFile(err, s.name)
	}
	silence()
	in, err := newInput(s)
	if err != nil {
		s.close()
		return nil, err
	}
	if err := in.open(c, o); err != nil {
		in.free()
		return nil, err
	}
	handles.Add(1)
	opened := &Input{state: in}
	opened.cleanup = runtime.AddCleanup(opened, forget, held(in))
	return opened, nil
}

var inputBytes = int(unsafe.Sizeof(C.spool_av_input{}))

func newInput(s *source) (*input, error) {
	memory, err := mem.Alloc(mem.Reader, inputBytes)
	if err != nil {
		return nil, err
	}
	in := &input{c: (*C.spool_av_input)(memory), source: s}
	in.c.size = C.int64_t(s.size)
	switch {
	case s.data != nil:
		in.pins.Pin(unsafe.SliceData(s.data))
		in.c.data = (*C.uint8_t)(unsafe.SliceData(s.data))
	case s.file != nil:
		in.c.file = C.int32_t(s.file.Fd())
	default:
		in.reader = &reader{read: s.read}
		in.handle = cgo.NewHandle(in.reader)
		in.c.reader = C.uintptr_t(in.handle)
	}
	return in, nil
}

func (in *input) open(c *call.Call, o InputOptions) error {
	in.begin(c)
	defer in.end()
	var format *C.char
	if o.Format != "" {
		format = C.CString(o.Format)
		defer C.free(unsafe.Pointer(format))
	}
	options, err := dictionary(o.Options)
	if err != nil {
		return err
	}
	defer options.Free()
	var found C.spool_av_guess
	code := C.spool_av_open(in.c, format, unsafe.Pointer(options), &found)
	in.guess = guess{format: C.GoString(&found.format[0]), score: int(found.score)}
	if err := astiav.Error(code); err == astiav.ErrDemuxerNotFound {
		return fmt.Errorf("%w: av: no demuxer %q", spool.ErrOptions, o.Format)
	} else if found.claimed > 0 {
		return in.refusal(spool.ErrCorrupt, fmt.Sprintf("its tables claim %d samples, more than it can hold", int64(found.claimed)))
	} else if code < 0 {
		return in.failure(c, opProbe, err)
	}
	in.context = wrap[astiav.FormatContext](in.c.context)
	if o.Tables {
		C.spool_av_tables(in.c)
	}
	if err := unused(options, o.Options, "demuxer "+in.guess.format); err != nil {
		return err
	}
	if isPicture(in.guess.format) && in.guess.score >= certain {
		return in.refusal(spool.ErrUnsupported, "a picture ("+in.guess.format+"), not video or sound")
	}
	if !o.NoProbe {
		return in.probe(c, o.MaxPixels)
	}
	in.media = in.describe()
	if isPicture(in.guess.format) {
		return in.noMedia()
	}
	return nil
}

// Probe learns of an input that was opened with NoProbe what others learn when they are opened. It is to be called before
// anything else is read.
//
//	Errors: as Open's. The input is of no more use then.
func (in *Input) Probe(c *call.Call, maxPixels int64) error {
	if in.state == nil {
		return closed("input")
	}
	if err := cancelled(c, opProbe); err != nil {
		return spool.InFile(err, in.state.source.name)
	}
	in.state.begin(c)
	defer in.end()
	return in.state.probe(c, maxPixels)
}

func (in *input) probe(c *call.Call, maxPixels int64) error {
	if code := C.spool_av_find_streams(in.c.context, pixels(maxPixels)); code < 0 {
		return in.failure(c, opProbe, astiav.Error(code))
	}
	if err := in.interrupted(c); err != nil { // FFmpeg makes do with what it has read
		return err
	}
	in.media = in.describe()
	if !slices.ContainsFunc(in.media.Streams, in.guess.believes) || isPicture(in.guess.format) {
		return in.noMedia()
	}
	return nil
}

func (in *input) noMedia() error {
	return in.refusal(spool.ErrNotMedia, "no stream of video or sound ("+in.guess.format+")")
}

// pixels is a bound as FFmpeg has it.
func pixels(bound int64) C.int64_t {
	if bound <= 0 {
		return math.MaxInt32
	}
	return C.int64_t(bound)
}

// begin lets a call interrupt what the input does, until end.
func (in *input) begin(c *call.Call) {
	in.c.flag = (*C.int32_t)(c.Flag())
	if in.reader != nil {
		in.reader.ctx = c.Context()
	}
}

func (in *input) end() {
	in.c.flag = nil
	if in.reader != nil {
		in.reader.ctx = context.Background()
	}
}

// interrupted is the error where the call has been cancelled, or the reader has failed, and FFmpeg did not
// say so.
func (in *input) interrupted(c *call.Call) error {
	if c.Err() == nil && (in.reader == nil || in.reader.err == nil) {
		return nil
	}
	return in.failure(c, opProbe, astiav.ErrExit)
}

func (in *input) refusal(class spool.Class, text string) error {
	return &spool.Error{Op: opProbe, File: in.source.name, Class: class, Lib: library, Text: text}
}

func (in *input) free() {
	if in.context != nil {
		C.spool_av_close(in.c)
	}
	in.pins.Unpin()
	if in.handle != 0 {
		in.handle.Delete()
	}
	in.source.close()
	mem.Free(mem.Reader, unsafe.Pointer(in.c), inputBytes)
}

// Close ends the loan of the object. It returns nil; a second Close does nothing.
func (in *Input) Close() error {
	if in.state != nil {
		in.cleanup.Stop()
		release(in.state)
		in.state = nil
	}
	return nil
}

// Media says what the input holds. Its slices are the input's.
func (in *Input) Media() Media {
	if in.state == nil {
		return Media{}
	}
	return in.state.media
}

// Best is the number of the stream of a kind to take, in the company of stream beside, which may share a
// programme with it (-1: none); negative when there is none.
func (in *Input) Best(kind Kind, beside int) int {
	if in.state == nil {
		return -1
	}
	defer runtime.KeepAlive(in)
	return in.state.best(map[Kind]astiav.MediaType{Video: astiav.MediaTypeVideo, Audio: astiav.MediaTypeAudio, Other: astiav.MediaTypeUnknown}[kind], beside)
}

func (in *input) best(t astiav.MediaType, beside int) int {
	return int(C.spool_av_best(in.c.context, C.int(t), C.int(beside)))
}

// Select has only packets of these streams read; without one, those of all. Demuxers pass over the others'
// payload where they can.
func (in *Input) Select(streams ...int) {
	if in.state != nil {
		in.state.wanted = slices.Clone(streams)
		in.state.choose(streams)
		runtime.KeepAlive(in)
	}
}

func (in *input) choose(streams []int) {
	for i := range in.context.NbStreams() {
		wanted := C.int(0)
		if len(streams) == 0 || slices.Contains(streams, i) {
			wanted = 1
		}
		C.spool_av_select(in.c.context, C.int(i), wanted)
	}
}

// details are what go-astiav does not tell of a stream, or not in the same way for every FFmpeg.
type details struct {
	bits            int
	picture, chosen bool
	channels        int
	layout          string
	rotation        float64
	mirrored        bool
}

func (in *input) details(stream int) details {
	var d C.spool_av_details
	C.spool_av_describe(in.c.context, C.int(stream), &d)
	return details{
		bits: int(d.bits), picture: d.picture != 0, chosen: d.chosen != 0,
		channels: int(d.channels), layout: C.GoString(&d.layout[0]), rotation: float64(d.rotation), mirrored: d.mirrored != 0,
	}
}
