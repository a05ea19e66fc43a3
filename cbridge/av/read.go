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

// Entry describes a packet without its payload.
type Entry struct {
	PTS, DTS int64 // in ticks of the stream; NoPTS if unknown
	Duration int64 // in ticks; 0 if unknown
	Pos      int64 // in bytes from the start of the input; -1 if unknown
	Size     int32 // in bytes
	Key      bool
	Discard  bool // decoded but not shown, because of an edit list
	Corrupt  bool // marked as damaged by the container
	Refresh  bool // Key, but frames are complete only some packets later (H.264 intra refresh). Set by Scan only

	// Disposable is true if no other frame refers to this one, according to the packet's headers in H.264, HEVC and MPEG-1
	// to -4. SkipNonReference skips these frames. It is false for other codecs. Set by Scan only.
	Disposable bool
	// Hidden is true if the packet gives no frame: a reference of VP8 or VP9 that is not shown. Set by Scan only.
	Hidden bool
	// Second is true for the second field of the frame that the previous packet started, in H.264. Set by Scan only.
	Second bool
}

// Scan reads all remaining packets of a stream, in decode order, and returns their entries without payloads. It skips
// packets of other streams, and restores the selection of Select. Afterwards the input is at its end.
//
// On an error it also returns the entries read before.
//
// It makes one call into C. It takes about 1 ms for 10 s of H.264 in MP4, or the time to read the whole input if that
// is longer.
func (in *Input) Scan(c *call.Call, stream int) (list []Entry, err error) {
	defer c.Part("libavformat: index", c.Begin())
	if err := in.ready(c, stream); err != nil {
		return nil, err
	}
	defer in.state.age.verify(&err)
	in.state.begin(c)
	defer in.end()
	in.state.choose([]int{stream})
	defer in.state.choose(in.state.wanted)
	var entries *C.spool_av_entry
	var n C.size_t
	code := C.spool_av_scan(in.state.c, C.int(stream), &entries, &n)
	defer C.free(unsafe.Pointer(entries))
	list = make([]Entry, n)
	top := C.int8_t(0) // lower temporal layers may be references of this one
	for _, e := range unsafe.Slice(entries, n) {
		top = max(top, e.layer)
	}
	for i, e := range unsafe.Slice(entries, n) {
		list[i] = Entry{PTS: int64(e.pts), DTS: int64(e.dts), Duration: int64(e.duration), Pos: int64(e.pos),
			Size: int32(e.size), Key: e.key != 0, Discard: e.discard != 0, Corrupt: e.corrupt != 0, Refresh: e.refresh != 0,
			Disposable: e.disposable != 0 && e.layer == top, Hidden: e.hidden != 0, Second: e.second != 0}
	}
	if code < 0 {
		return list, in.state.failure(c, opRead, astiav.Error(code))
	}
	return list, nil
}

// TablesTell reports whether the container's table of packets describes the frames of a stream as well as Scan does.
// Then each packet is a frame, and the codec is AV1, H.264 without fields, or one with key frames only. The table lacks
// only Disposable and Refresh (see Refreshes) of H.264. For other codecs, Scan reads the packets.
func (in *Input) TablesTell(stream int) bool {
	return in.state != nil && stream >= 0 && stream < in.state.context.NbStreams() &&
		C.spool_av_tables_tell(in.state.c.context, C.int(stream)) != 0
}

// Refreshes returns Entry.Refresh of a key packet that begins with head, for callers that have not called Scan. A few
// KB suffice, because the message with the recovery point precedes the pixels.
func (in *Input) Refreshes(stream int, head []byte) bool {
	if in.state == nil || stream < 0 || stream >= in.state.context.NbStreams() || len(head) == 0 {
		return false
	}
	return C.spool_av_key_recovers_later(in.state.c.context, C.int(stream), (*C.uint8_t)(unsafe.SliceData(head)),
		C.size_t(len(head))) != 0
}

// Seek moves to the last key packet of a stream at or before a time, in ticks. The container determines whether it
// compares PTS or DTS, and how exact the seek is: the next Read shows the result. A decoder must be flushed afterwards.
//
//   - Errors: io if the input cannot seek, or has no such time.
func (in *Input) Seek(c *call.Call, stream int, ts int64) error {
	return in.seek(c, stream, ts, astiav.NewSeekFlags(astiav.SeekFlagBackward))
}

// SeekByte moves to an offset in bytes, as in Entry.Pos. It is exact in containers without an index (MPEG-TS).
func (in *Input) SeekByte(c *call.Call, pos int64) error {
	return in.seek(c, -1, pos, astiav.NewSeekFlags(astiav.SeekFlagByte))
}

func (in *Input) seek(c *call.Call, stream int, to int64, flags astiav.SeekFlags) (err error) {
	defer c.Part("libavformat: seek", c.Begin())
	if err := in.ready(c, max(stream, 0)); err != nil {
		return err
	}
	defer in.state.age.verify(&err)
	in.state.begin(c)
	defer in.end()
	code := C.spool_av_seek(in.state.c, C.int(stream), C.int64_t(to), C.int(flags))
	if code >= 0 {
		return nil
	}
	err = in.state.failure(c, opRead, astiav.Error(code))
	var e *spool.Error
	if errors.As(err, &e) && e.Lib == library && c.Err() == nil {
		e.Class, e.Text = spool.ErrIO, fmt.Sprintf("no seek to %d of stream %d: %s", to, stream, e.Text)
	}
	return err
}

// Read returns the next packet of the selected streams in p, or io.EOF at the end.
func (in *Input) Read(c *call.Call, p *Packet) (err error) {
	defer c.Part("libavformat: read packet", c.Begin())
	if err := in.ready(c, 0); err != nil {
		return err
	}
	if p.packet == nil {
		return closed("packet")
	}
	defer runtime.KeepAlive(p)
	defer in.state.age.verify(&err)
	in.state.begin(c)
	defer in.end()
	err = in.state.next(p)
	if errors.Is(err, astiav.ErrEof) && c.Err() == nil {
		code := C.spool_av_read_error(in.state.c.context)
		if code == 0 {
			return io.EOF
		}
		err = astiav.Error(code) // an error that the demuxer took for the end
	}
	if err != nil {
		return in.state.failure(c, opRead, err)
	}
	return nil
}

// next reads the next packet of a selected stream. The demuxer may have read packets of other streams before the
// selection changed.
func (in *input) next(p *Packet) error {
	for {
		code := C.spool_av_read(in.c.context, pointer(p.packet))
		p.disposable = code > 0
		if code < 0 {
			return astiav.Error(code)
		}
		if len(in.wanted) == 0 || slices.Contains(in.wanted, p.packet.StreamIndex()) {
			return nil
		}
	}
}

func (in *Input) end() { // a method of in, which keeps in alive
	in.state.end()
}

// ready reports whether a call can start: an open input, a valid stream, no earlier error.
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
	return &spool.Error{Op: opRead, File: in.source.name, Class: spool.ErrNoSuchFrame,
		Text: fmt.Sprintf("no stream %d of %d", stream, in.context.NbStreams())}
}
