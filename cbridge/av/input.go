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

// silence disables FFmpeg's log in the whole process. go-astiav's log callback is not used because it overflows its
// buffer.
var silence = sync.OnceFunc(func() { astiav.SetLogLevel(astiav.LogLevelQuiet) })

// InputOptions describe how an input is opened.
type InputOptions struct {
	Format  string            // FFmpeg's name of the demuxer; empty: detected by content
	Options map[string]string // options of the demuxer

	// NoProbe skips reading packets and decoding frames to find parameters that the container's header lacks. It is for
	// callers that have the streams' Parameters already. Only containers that store time stamps (MP4, Matroska) give the
	// same packets then, and packets of Matroska have no DTS.
	NoProbe bool

	// Tables is for callers that need only the container's tables of packets, not their content. Scan then returns only
	// times, positions, sizes and the container's key flags, and packets contain zeros.
	Tables bool

	// MaxPixels limits the size of a frame; 0 means FFmpeg's limit. Larger frames are not decoded to find parameters.
	MaxPixels int64
}

// Demuxers returns the names of all demuxers of FFmpeg, sorted. A demuxer may have several, with commas between them.
func Demuxers() (names []string) {
	var position uintptr // not a pointer: a Go pointer must not be a small number
	for {
		name := C.spool_av_demuxer((*unsafe.Pointer)(unsafe.Pointer(&position)))
		if name == nil {
			slices.Sort(names)
			return names
		}
		names = append(names, C.GoString(name))
	}
}

// Input is an open file or other source of bytes. It may be used by one goroutine at a time.
type Input struct {
	state   *input // nil after Close
	cleanup runtime.Cleanup
}

// input has the resources of an Input. It does not use go-astiav's own open function, which leaks an entry in a global
// map when it fails, and can be cancelled only by passing a Go pointer to C.
type input struct {
	c       *C.spool_av_input // in C memory, because FFmpeg's callbacks use it
	context *astiav.FormatContext
	age     age
	source  *source
	guess   guess
	media   Media
	wanted  []int   // selected streams; nil: all
	reader  *reader // if the bytes come from a reader in Go
	handle  cgo.Handle
	pins    runtime.Pinner // of the bytes, if they are in memory
}

// Open opens an object and detects its content (Input.Media). It ignores the object's name.
//
//   - Ownership: the object is borrowed until Close. A spool.Opener is opened, and closed with the input.
//   - Cancellation: between reads, and while the object's ReadAt blocks. If ReadAt does not return, it is abandoned,
//     the error reports it, and the input cannot be used afterwards.
//   - Errors: those of Probe; spool.ErrOptions for a missing object or invalid options.
//   - Cost: 1 to 50 ms, depending on the bytes to read; a tenth with NoProbe.
func Open(c *call.Call, object spool.Object, o InputOptions) (*Input, error) {
	defer c.Part("libavformat: open", c.Begin())
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
	opened.cleanup = runtime.AddCleanup(opened, forget, resource(in))
	return opened, nil
}

var inputBytes = int(unsafe.Sizeof(C.spool_av_input{}))

func newInput(s *source) (*input, error) {
	memory, err := mem.Alloc(mem.Reader, inputBytes)
	if err != nil {
		return nil, err
	}
	in := &input{c: (*C.spool_av_input)(memory), age: now(), source: s}
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

func (in *input) open(c *call.Call, o InputOptions) (err error) {
	defer in.age.verify(&err)
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
		return in.refusal(spool.ErrCorrupt,
			fmt.Sprintf("its tables claim %d samples, more than the file can hold", int64(found.claimed)))
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
	if isImage(in.guess.format) && in.guess.score >= certain {
		return in.refusal(spool.ErrUnsupported, "an image ("+in.guess.format+"), not video or audio")
	}
	if !o.NoProbe {
		return in.probe(c, o.MaxPixels)
	}
	in.media = in.describe()
	if isImage(in.guess.format) {
		return in.noMedia()
	}
	return nil
}

// Probe detects the stream parameters of an input that was opened with NoProbe, as Open does otherwise. It must be
// called before any packet is read.
//
//   - Errors: those of Open. The input cannot be used after an error.
func (in *Input) Probe(c *call.Call, maxPixels int64) error {
	defer c.Part("libavformat: find streams", c.Begin())
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

func (in *input) probe(c *call.Call, maxPixels int64) (err error) {
	defer in.age.verify(&err)
	if code := C.spool_av_find_streams(in.c.context, pixels(maxPixels)); code < 0 {
		return in.failure(c, opProbe, astiav.Error(code))
	}
	if err := in.interrupted(c); err != nil { // FFmpeg itself succeeds with the data read so far
		return err
	}
	in.media = in.describe()
	if !slices.ContainsFunc(in.media.Streams, in.guess.believes) || isImage(in.guess.format) {
		return in.noMedia()
	}
	return nil
}

func (in *input) noMedia() error {
	return in.refusal(spool.ErrNotMedia, "no video or audio stream ("+in.guess.format+")")
}

// pixels converts a limit to FFmpeg's.
func pixels(bound int64) C.int64_t {
	if bound <= 0 {
		return math.MaxInt32
	}
	return C.int64_t(bound)
}

// begin lets a call interrupt the input's operations, until end.
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

// interrupted returns an error if the call was cancelled or the reader failed, in case FFmpeg did not report it.
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

// Close frees the input; the object is no longer used. It returns nil. A second Close does nothing.
func (in *Input) Close() error {
	if in.state != nil {
		in.cleanup.Stop()
		release(in.state)
		in.state = nil
	}
	return nil
}

// Media describes the content of the input. The input owns the slices.
func (in *Input) Media() Media {
	if in.state == nil {
		return Media{}
	}
	return in.state.media
}

// Best returns the index of the best stream of a kind, or a negative number. beside is the index of a stream that
// should be in the same program, or -1.
func (in *Input) Best(kind Kind, beside int) int {
	if in.state == nil {
		return -1
	}
	defer runtime.KeepAlive(in)
	return in.state.best(map[Kind]astiav.MediaType{Video: astiav.MediaTypeVideo, Audio: astiav.MediaTypeAudio,
		Other: astiav.MediaTypeUnknown}[kind], beside)
}

func (in *input) best(t astiav.MediaType, beside int) int {
	return int(C.spool_av_best(in.c.context, C.int(t), C.int(beside)))
}

// Select restricts Read to packets of these streams; without arguments, it selects all. Demuxers skip the payload of
// other streams where they can.
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

// details are properties of a stream that go-astiav lacks, or that differ between FFmpeg releases.
type details struct {
	bits                int
	attached, isDefault bool
	channels            int
	layout              string
	rotation            float64
	mirrored            bool
}

func (in *input) details(stream int) details {
	var d C.spool_av_details
	C.spool_av_describe(in.c.context, C.int(stream), &d)
	return details{
		bits: int(d.bits), attached: d.attached != 0, isDefault: d.is_default != 0,
		channels: int(d.channels), layout: C.GoString(&d.layout[0]), rotation: float64(d.rotation), mirrored: d.mirrored != 0,
	}
}
