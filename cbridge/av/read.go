package av

/*
#include <stdlib.h>
#include "av.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"unsafe"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// Entry is a packet without its payload.
type Entry struct {
	PTS, DTS int64 // in ticks of the stream; NoPTS when unknown
	Duration int64 // in ticks; 0 when unknown
	Pos      int64 // in bytes from the start of the input; -1 when unknown
	Size     int32 // in bytes
	Key      bool
	Discard  bool // decoded, but not shown: an edit list says so
	Corrupt  bool // the container says that it is damaged
	Refresh  bool // Key, but pictures are whole only some packets later: H.264 that is refreshed bit by bit. Of Scan only

	// Disposable says that no other picture refers to this one, as the packet itself says in H.264, HEVC and MPEG-1 to -4:
	// it is what SkipNonReference leaves out. False of others. Of Scan only.
	Disposable bool
	// Hidden says that the packet gives no frame: a reference of VP8 or VP9 that is not shown. Of Scan only.
	Hidden bool
	// Second says that it is the second field of the frame that the packet before began, in H.264. Of Scan only.
	Second bool
}

// Scan reads all packets of a stream that follow, in decode order, and keeps no payload. Those of other streams
// are passed over; the selection is that of Select again afterwards. The input is at its end then.
//
// What was read up to an error is returned with it.
//
// One call into C: about 1 ms for 10 s of H.264 in MP4, and the time it takes to read the whole input where
// that is larger.
func (in *Input) Scan(c *call.Call, stream int) ([]Entry, error) {
	if err := in.ready(c, stream); err != nil {
		return nil, err
	}
	in.state.begin(c)
	defer in.end()
	in.state.choose([]int{stream})
	defer in.state.choose(in.state.wanted)
	var entries *C.spool_av_entry
	var n C.size_t
	code := C.spool_av_scan(in.state.c, C.int(stream), &entries, &n)
	defer C.free(unsafe.Pointer(entries))
	list := make([]Entry, n)
	top := C.int8_t(0) // pictures of lower temporal layers may be referred to from there
	for _, e := range unsafe.Slice(entries, n) {
		top = max(top, e.layer)
	}
	for i, e := range unsafe.Slice(entries, n) {
		list[i] = Entry{PTS: int64(e.pts), DTS: int64(e.dts), Duration: int64(e.duration), Pos: int64(e.pos),
			Size: int32(e.size), Key: e.key != 0, Discard: e.discard != 0, Corrupt: e.corrupt != 0, Refresh: e.refresh != 0, Disposable: e.disposable != 0 && e.layer == top, Hidden: e.hidden != 0, Second: e.second != 0}
	}
	if code < 0 {
		return list, in.state.failure(c, opRead, astiav.Error(code))
	}
	return list, nil
}

// Seek goes to the last key packet of a stream at or before a time, in ticks. By whose time stamps, PTS or DTS,
// is the container's choice, and how exact as well: what Read gives next tells. A decoder has to be flushed.
//
//	Errors: io where the input cannot seek, or has no such time.
func (in *Input) Seek(c *call.Call, stream int, ts int64) error {
	return in.seek(c, stream, ts, astiav.NewSeekFlags(astiav.SeekFlagBackward))
}

// SeekByte goes to a position in bytes, as an Entry has it: where containers without an index (MPEG-TS) are
// exact.
func (in *Input) SeekByte(c *call.Call, pos int64) error {
	return in.seek(c, -1, pos, astiav.NewSeekFlags(astiav.SeekFlagByte))
}

func (in *Input) seek(c *call.Call, stream int, to int64, flags astiav.SeekFlags) error {
	if err := in.ready(c, max(stream, 0)); err != nil {
		return err
	}
	in.state.begin(c)
	defer in.end()
	code := C.spool_av_seek(in.state.c, C.int(stream), C.int64_t(to), C.int(flags))
	if code >= 0 {
		return nil
	}
	err := in.state.failure(c, opRead, astiav.Error(code))
	var e *spool.Error
	if errors.As(err, &e) && e.Lib == library && c.Err() == nil {
		e.Class, e.Text = spool.ErrIO, fmt.Sprintf("no seek to %d of stream %d: %s", to, stream, e.Text)
	}
	return err
}

// Read gives the next packet of the streams selected. Io.EOF is the end.
func (in *Input) Read(c *call.Call, p *Packet) error {
	if err := in.ready(c, 0); err != nil {
		return err
	}
	if p.packet == nil {
		return closed("packet")
	}
	in.state.begin(c)
	defer in.end()
	err := in.state.next(p.packet)
	if errors.Is(err, astiav.ErrEof) && c.Err() == nil {
		code := C.spool_av_read_error(in.state.c.context)
		if code == 0 {
			return io.EOF
		}
		err = astiav.Error(code) // which the demuxer took for the end
	}
	if err != nil {
		return in.state.failure(c, opRead, err)
	}
	return nil
}

// Disposable is what Entry.Disposable says of a packet that Read gave, of H.264: for those who have not scanned it. It is false of others.
func (in *Input) Disposable(p *Packet) bool {
	if in.state == nil || p.packet == nil {
		return false
	}
	defer runtime.KeepAlive(p)
	return C.spool_av_spare(in.state.c.context, pointer(p.packet)) != 0
}

// next reads up to a packet that is wanted: some of other streams may have been read before they were not.
func (in *input) next(p *astiav.Packet) error {
	for {
		p.Unref()
		err := in.context.ReadFrame(p)
		if err != nil || len(in.wanted) == 0 || slices.Contains(in.wanted, p.StreamIndex()) {
			return err
		}
	}
}

func (in *Input) end() { // with in, so that it is not garbage before
	in.state.end()
}

// ready reports whether a call may go on.
func (in *Input) ready(c *call.Call, stream int) error {
	if in.state == nil {
		return closed("input")
	}
	if stream < 0 || stream >= in.state.context.NbStreams() {
		return in.state.noStream(stream)
	}
	if err := cancelled(c, opRead); err != nil {
		return spool.InFile(err, in.state.source.name)
	}
	return nil
}

func (in *input) noStream(stream int) error {
	return &spool.Error{Op: opRead, File: in.source.name, Class: spool.ErrNoSuchFrame, Text: fmt.Sprintf("no stream %d of %d", stream, in.context.NbStreams())}
}
