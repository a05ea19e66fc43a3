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

// Container describes a file format. Names are FFmpeg's.
type Container struct {
	Name         string // of the format
	Video, Audio string // default codecs; empty: none
	Global       bool   // it needs the streams' headers out of band
}

// ContainerOf returns the container of a format. If format is empty, it is selected by the extension of file.
//
//   - Errors: unsupported if this FFmpeg has no such container, or if it consists of several files.
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
		return Container{Name: C.GoString(c.name), Video: C.GoString(c.video), Audio: C.GoString(c.audio),
			Global: c.global != 0}, nil
	}
	text := "this FFmpeg does not know " + what
	if code == posix(syscall.EPERM) {
		text = what + " writes several files, or none"
	}
	return Container{}, &spool.Error{Op: opWrite, Class: spool.ErrUnsupported, Lib: library, Code: int(code), Text: text}
}

// Muxer writes packets to a file, to memory, or to a stream of bytes. First add the streams, then call Begin, Write for
// each packet, and Finish. It may be used by one goroutine at a time.
type Muxer struct {
	state   *muxer // nil after Close
	cleanup runtime.Cleanup
}

type muxer struct {
	c   *C.spool_av_muxer // in C memory, because FFmpeg's callbacks use it
	age age
}

var muxerBytes = int(unsafe.Sizeof(C.spool_av_muxer{}))

func (m *muxer) free() {
	if m.c.context != nil {
		C.spool_av_muxer_close(m.c)
	}
	mem.Free(mem.Reader, unsafe.Pointer(m.c), muxerBytes)
}

// NewMuxer creates a file, or writes to memory if path is empty. The caller MUST Close it. After an error the caller
// should remove the incomplete file.
func NewMuxer(c *call.Call, format, path string) (*Muxer, error) {
	var url *C.char
	if path != "" {
		url = C.CString("file:" + path)
		defer C.free(unsafe.Pointer(url))
	}
	return newMuxer(c, format, url, 0)
}

// NewStreamMuxer writes to a stream of bytes, which Take returns as they are written. A container that needs to seek
// back omits that data, or Begin rejects it.
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
	m := &muxer{(*C.spool_av_muxer)(memory), now()}
	name := C.CString(format)
	defer C.free(unsafe.Pointer(name))
	m.c.flag = (*C.int32_t)(c.Flag())
	code := C.spool_av_muxer_open(m.c, name, url, streamed)
	m.c.flag = nil
	if err := m.age.err(); err != nil {
		m.free()
		return nil, err
	}
	if code < 0 {
		m.free()
		return nil, writeFailure(c, astiav.Error(code))
	}
	handles.Add(1)
	opened := &Muxer{state: m}
	opened.cleanup = runtime.AddCleanup(opened, forget, resource(m))
	return opened, nil
}

// AddEncoder adds the stream of an encoder, and returns its index.
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

// AddParameters adds a stream of already encoded packets, and returns its index.
func (m *Muxer) AddParameters(p Parameters) (int, error) { return m.add(p.TimeBase, false, p.fill) }

// Display is how a stream of video is shown.
type Display struct {
	Rotation float64 // counterclockwise degrees
	Mirrored bool    // vertically, before the rotation
	Rate     Ratio   // average frames a second; zero: unknown
}

// Show sets how a stream of video is shown.
func (m *Muxer) Show(stream int, d Display) error {
	if m.state == nil {
		return closed("muxer")
	}
	defer runtime.KeepAlive(m)
	display := C.spool_av_display{rotation: C.double(d.Rotation), rate_num: C.int32_t(d.Rate.Num),
		rate_den: C.int32_t(max(d.Rate.Den, 1))}
	if d.Mirrored {
		display.mirrored = 1
	}
	if code := C.spool_av_muxer_show(m.state.c, C.int(stream), &display); code < 0 {
		return fmt.Errorf("%w: av: stream", spool.ErrOutOfMemory)
	}
	return nil
}

// AddStream adds a stream with the parameters of an input's stream, and its rotation, language and frame rate. It
// returns the new stream's index.
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
		return 0, &spool.Error{Op: opWrite, Class: spool.ErrUnsupported, Lib: library, Text: "a stream of an unknown codec",
			Err: err}
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
//   - Errors: unsupported if the container does not accept such streams; spool.ErrOptions for unknown options; io.
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

// Write writes a packet of a stream. base is the time base of the packet's times. The packet is empty afterwards.
func (m *Muxer) Write(c *call.Call, stream int, base Ratio, p *Packet) error {
	if p.packet == nil {
		return closed("packet")
	}
	defer runtime.KeepAlive(p)
	return m.do(c, func() C.int {
		return C.spool_av_muxer_write(m.state.c, pointer(p.packet), C.int(stream), C.int(base.Num), C.int(base.Den))
	})
}

// Take returns the bytes written to a stream since the last Take.
func (m *Muxer) Take(c *call.Call) ([]byte, error) {
	return m.bytes(c, func(data **C.uint8_t, size *C.size_t) C.int { return C.spool_av_muxer_take(m.state.c, data, size) })
}

// Finish writes the rest of the file. It returns what was written to memory, or to a stream since the last Take.
func (m *Muxer) Finish(c *call.Call) ([]byte, error) {
	return m.bytes(c, func(data **C.uint8_t, size *C.size_t) C.int {
		return C.spool_av_muxer_finish(m.state.c, data, size)
	})
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

func (m *Muxer) do(c *call.Call, work func() C.int) (err error) {
	if m.state == nil {
		return closed("muxer")
	}
	defer m.state.age.verify(&err)
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

// writeFailure returns the error of a call that wrote. An error of the system is not reported as corrupt.
func writeFailure(c *call.Call, code astiav.Error) error {
	err := failure(c, opWrite, code)
	var e *spool.Error
	if !errors.As(err, &e) || e.Class != spool.ErrCorrupt {
		return err
	}
	switch _, known := classes[code]; {
	case code == posix(syscall.EINVAL), code == astiav.ErrInvaliddata:
		e.Class, e.Text = spool.ErrUnsupported, "the container does not accept such a stream, its times, or these options"
	case code == astiav.ErrExperimental:
		e.Class, e.Text = spool.ErrUnsupported, "experimental in FFmpeg: it needs the container's option strict=experimental"
	case !known:
		e.Class = spool.ErrIO
	}
	return err
}

// Close frees the muxer. It returns nil. A second Close does nothing.
func (m *Muxer) Close() error {
	if m.state != nil {
		m.cleanup.Stop()
		release(m.state)
		m.state = nil
	}
	return nil
}
