package av

/*
#include <stdlib.h>
#include "encoder.h"
#include "muxer.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
)

const opWrite = "write"

// Container is what a format of files is like. Names are FFmpeg's.
type Container struct {
	Name         string // of the format
	Video, Audio string // of the codecs that it has by itself; empty: none
	Global       bool   // it wants the streams' headers beside the packets
}

// ContainerOf is the container of a format, or, where format is empty, of a file by its name's ending.
//
//	Errors: unsupported: this FFmpeg has none such, or it would be of several files.
func ContainerOf(format, file string) (Container, error) {
	silence()
	var name, path *C.char
	what := fmt.Sprintf("the format %q", format)
	if format != "" {
		name = C.CString(format)
		defer C.free(unsafe.Pointer(name))
	} else {
		path = C.CString(file)
		defer C.free(unsafe.Pointer(path))
		what = fmt.Sprintf("a format for the name %q", file)
	}
	var c C.spool_av_container
	code := astiav.Error(C.spool_av_container_of(name, path, &c))
	if code >= 0 {
		return Container{Name: C.GoString(c.name), Video: C.GoString(c.video), Audio: C.GoString(c.audio), Global: c.global != 0}, nil
	}
	text := "this FFmpeg does not know " + what
	if code == posix(syscall.EPERM) {
		text = what + " is one of several files, or of none"
	}
	return Container{}, &spool.Error{Op: opWrite, Class: spool.ErrUnsupported, Lib: library, Code: int(code), Text: text}
}

// Muxer writes packets to a file, to memory, or to a stream of bytes: streams are added, then the header is written by Begin, packets by Write, and the
// rest by Finish. It belongs to one goroutine at a time.
type Muxer struct {
	state   *muxer // nil when closed
	cleanup runtime.Cleanup
}

type muxer struct{ c *C.spool_av_muxer } // in C memory: FFmpeg's callbacks look there

var muxerBytes = int(unsafe.Sizeof(C.spool_av_muxer{}))

func (m *muxer) free() {
	if m.c.context != nil {
		C.spool_av_muxer_close(m.c)
	}
	mem.Free(mem.Reader, unsafe.Pointer(m.c), muxerBytes)
}

// NewMuxer begins a file, or memory where path is empty. The caller MUST Close it; a file is the caller's to remove
// when it has not become whole.
func NewMuxer(c *call.Call, format, path string) (*Muxer, error) {
	var url *C.char
	if path != "" {
		url = C.CString("file:" + path)
		defer C.free(unsafe.Pointer(url))
	}
	return newMuxer(c, format, url, 0)
}

// NewStreamMuxer begins a stream of bytes, which Take gives as they come. A container that has to go back in what it
// has written leaves that out, or is refused by Begin.
func NewStreamMuxer(c *call.Call, format string) (*Muxer, error) { return newMuxer(c, format, nil, 1) }

func newMuxer(c *call.Call, format string, url *C.char, streamed C.int) (*Muxer, error) {
	if err := cancelled(c, opWrite); err != nil {
		return nil, err
	}
	silence()
	memory, err := mem.Alloc(mem.Reader, muxerBytes)
	if err != nil {
		return nil, err
	}
	m := &muxer{(*C.spool_av_muxer)(memory)}
	name := C.CString(format)
	defer C.free(unsafe.Pointer(name))
	m.c.flag = (*C.int32_t)(c.Flag())
	code := C.spool_av_muxer_open(m.c, name, url, streamed)
	m.c.flag = nil
	if code < 0 {
		m.free()
		return nil, writeFailure(c, astiav.Error(code))
	}
	handles.Add(1)
	opened := &Muxer{state: m}
	opened.cleanup = runtime.AddCleanup(opened, forget, held(m))
	return opened, nil
}

// AddEncoder adds the stream of an encoder, and gives its number.
func (m *Muxer) AddEncoder(e *Encoder) (int, error) {
	if e.c == nil {
		return 0, closed("encoder")
	}
	defer runtime.KeepAlive(e)
	return m.add(e.base, e.steady, func(p *astiav.CodecParameters) error {
		if code := C.spool_av_encoder_parameters(e.c, pointer(p)); code < 0 {
			return astiav.Error(code)
		}
		return nil
	})
}

// AddParameters adds the stream of packets that have been encoded already, and gives its number.
func (m *Muxer) AddParameters(p Parameters) (int, error) { return m.add(p.TimeBase, false, p.fill) }

// AddStream adds a stream like one of an input, with its rotation, language and rate, and gives its number.
func (m *Muxer) AddStream(in *Input, stream int) (int, error) {
	p, err := in.Parameters(stream)
	if err != nil {
		return 0, err
	}
	n, err := m.AddParameters(p)
	if err != nil {
		return 0, err
	}
	defer runtime.KeepAlive(m)
	defer runtime.KeepAlive(in)
	if code := C.spool_av_muxer_like(m.state.c, C.int(n), in.state.c.context, C.int(stream)); code < 0 {
		return 0, fmt.Errorf("%w: av: stream", spool.ErrOutOfMemory)
	}
	return n, nil
}

func (m *Muxer) add(base Ratio, steady bool, fill func(*astiav.CodecParameters) error) (int, error) {
	if m.state == nil {
		return 0, closed("muxer")
	}
	defer runtime.KeepAlive(m)
	parameters := astiav.AllocCodecParameters()
	if parameters == nil {
		return 0, fmt.Errorf("%w: av: parameters", spool.ErrOutOfMemory)
	}
	defer parameters.Free()
	if err := fill(parameters); err != nil {
		return 0, &spool.Error{Op: opWrite, Class: spool.ErrUnsupported, Lib: library, Text: "a stream of an unknown codec", Err: err}
	}
	flag := C.int(0)
	if steady {
		flag = 1
	}
	n := C.spool_av_muxer_add(m.state.c, pointer(parameters), C.int(base.Num), C.int(base.Den), flag)
	if n < 0 {
		return 0, fmt.Errorf("%w: av: stream", spool.ErrOutOfMemory)
	}
	return int(n), nil
}

// Begin writes the header.
//
//	Errors: unsupported: the container does not take such streams; spool.ErrOptions for options that it does not
//	        have; io.
func (m *Muxer) Begin(c *call.Call, options map[string]string) error {
	if m.state == nil {
		return closed("muxer")
	}
	given, err := dictionary(options)
	if err != nil {
		return err
	}
	defer given.Free()
	err = m.do(c, func() C.int { return C.spool_av_muxer_begin(m.state.c, unsafe.Pointer(given)) })
	if err != nil {
		return err
	}
	return unused(given, options, "container")
}

// Write writes a packet of a stream, whose times are in a base. What the packet was is released.
func (m *Muxer) Write(c *call.Call, stream int, base Ratio, p *Packet) error {
	if p.packet == nil {
		return closed("packet")
	}
	defer runtime.KeepAlive(p)
	return m.do(c, func() C.int {
		return C.spool_av_muxer_write(m.state.c, pointer(p.packet), C.int(stream), C.int(base.Num), C.int(base.Den))
	})
}

// Take gives what has been written to a stream since the last time.
func (m *Muxer) Take(c *call.Call) ([]byte, error) {
	return m.bytes(c, func(data **C.uint8_t, size *C.size_t) C.int { return C.spool_av_muxer_take(m.state.c, data, size) })
}

// Finish writes what is left, and gives what was written to memory, or to a stream since the last Take.
func (m *Muxer) Finish(c *call.Call) ([]byte, error) {
	return m.bytes(c, func(data **C.uint8_t, size *C.size_t) C.int { return C.spool_av_muxer_finish(m.state.c, data, size) })
}

func (m *Muxer) bytes(c *call.Call, give func(data **C.uint8_t, size *C.size_t) C.int) ([]byte, error) {
	var data *C.uint8_t
	var size C.size_t
	err := m.do(c, func() C.int { return give(&data, &size) })
	defer func() { C.spool_av_muxer_free(data) }()
	if err != nil || data == nil {
		return nil, err
	}
	written := make([]byte, size)
	copy(written, unsafe.Slice((*byte)(data), size))
	return written, nil
}

func (m *Muxer) do(c *call.Call, work func() C.int) error {
	if m.state == nil {
		return closed("muxer")
	}
	if err := cancelled(c, opWrite); err != nil {
		return err
	}
	defer runtime.KeepAlive(m)
	m.state.c.flag = (*C.int32_t)(c.Flag())
	code := work()
	m.state.c.flag = nil
	if code < 0 {
		return writeFailure(c, astiav.Error(code))
	}
	return nil
}

// writeFailure is the error of a call that wrote: what the system refuses is no damage.
func writeFailure(c *call.Call, code astiav.Error) error {
	err := failure(c, opWrite, code)
	var e *spool.Error
	if !errors.As(err, &e) || e.Class != spool.ErrCorrupt {
		return err
	}
	switch _, known := classes[code]; {
	case code == posix(syscall.EINVAL), code == astiav.ErrInvaliddata:
		e.Class, e.Text = spool.ErrUnsupported, "the container does not take such a stream, its times, or these options"
	case code == astiav.ErrExperimental:
		e.Class, e.Text = spool.ErrUnsupported, "an experiment of FFmpeg's, which wants the container's option strict=experimental"
	case !known:
		e.Class = spool.ErrIO
	}
	return err
}

// Close frees the muxer. It returns nil; a second Close does nothing.
func (m *Muxer) Close() error {
	if m.state != nil {
		m.cleanup.Stop()
		release(m.state)
		m.state = nil
	}
	return nil
}
