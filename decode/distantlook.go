package decode

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"sync/atomic"

	"github.com/spoolmedia/spool/internal/ranges"
)

// farHead is how much of a remote object is read first, in one piece: mostly all that there is to know of a clip of a minute
// whose tables lie in front.
const farHead = 96 << 10

// What else is read of a distant file before anything is known of it: at its end, where there may be tables.
const (
	farTail = 64 << 10
	farEnd  = 1 << 20 // what lies behind the packets is read in one piece up to this
)

// look fetches what a demuxer reads when it opens the file, so that it has not to wait while it holds a place in C.
func (d *distant) look(ctx context.Context) error {
	head := make([]byte, min(farHead, d.Size()))
	first := []ranges.Range{{Begin: 0, End: int64(len(head))}}
	if tail := d.ends.tail(); tail > 0 {
		first = append(first, ranges.Range{Begin: max(0, d.Size()-tail), End: d.Size()})
	}
	d.Expect(first)
	n, err := d.ReadAt(ctx, head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	head = head[:n]
	switch {
	case n >= 8 && isBox(head[4:8]):
		return d.boxes(ctx)
	case n >= 4 && binary.BigEndian.Uint32(head) == 0x1a45dfa3: // EBML: Matroska's cues are mostly at the end, and wanted by who seeks
		d.Expect([]ranges.Range{{Begin: max(0, d.Size()-farTail), End: d.Size()}})
	}
	return nil
}

// isBox tells the boxes that files of ISO media begin with.
func isBox(kind []byte) bool {
	return slices.Contains([]string{"ftyp", "moov", "mdat", "free", "skip", "wide", "pnot"}, string(kind))
}

// boxes walks over the boxes of a file of ISO media, up to the tables and the packets. What is no such file after all is left where that
// shows.
func (d *distant) boxes(ctx context.Context) error {
	const most = 64
	moov, mdat := false, false
	for off, n := int64(0), 0; off < d.Size() && n < most && !(moov && mdat); n++ {
		if d.Size()-off <= farEnd { // the last boxes in one piece
			d.Expect([]ranges.Range{{Begin: off, End: d.Size()}})
		}
		kind, body, end, err := d.box(ctx, off)
		if err != nil || end < 0 {
			return err
		}
		switch kind {
		case "moov":
			moov = true
			part := ranges.Range{Begin: off, End: end + boxHead} // and what comes next
			d.Expect([]ranges.Range{part})
			if d.fragmented, err = d.hasFragments(ctx, body, end); err != nil {
				return err
			}
			if err := d.Await(ctx, part); err != nil {
				return err
			}
			if !d.fragmented && mdat {
				d.ends.saw(d.Size() - off)
			} else {
				d.ends.saw(0)
			}
		case "mdat":
			mdat = true
		case "moof", "sidx":
			return nil
		}
		off = end
	}
	d.tables = moov && !d.fragmented
	return nil
}

// boxHead is the most that the head of a box takes.
const boxHead = 16

// box reads the head of a box: what it is, where its body begins and where it ends; end is negative where there is none.
func (d *distant) box(ctx context.Context, off int64) (kind string, body, end int64, err error) {
	var head [boxHead]byte
	n, err := d.ReadAt(ctx, head[:], off)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", 0, 0, err
	}
	if n < 8 {
		return "", 0, -1, nil
	}
	size, length := int64(binary.BigEndian.Uint32(head[:])), int64(8)
	switch {
	case size == 0: // up to the end of the file
		size = d.Size() - off
	case size == 1 && n == boxHead:
		size, length = int64(binary.BigEndian.Uint64(head[8:])), 16
	}
	if size < length || size > d.Size()-off {
		return "", 0, -1, nil
	}
	return string(head[4:8]), off + length, off + size, nil
}

// hasFragments reports whether a movie's header announces fragments.
func (d *distant) hasFragments(ctx context.Context, body, end int64) (bool, error) {
	for off := body; off < end; {
		kind, _, next, err := d.box(ctx, off)
		if err != nil || next < 0 {
			return false, err
		}
		if kind == "mvex" {
			return true, nil
		}
		off = next
	}
	return false, nil
}

// farEnds remembers where the tables of MP4 files are, which is the same in all of a data set as a rule. It is safe for concurrent use.
type farEnds struct{ last atomic.Int64 }

// saw is told of a file whose tables take so many bytes at its end, 0 of others.
func (e *farEnds) saw(n int64) {
	if e != nil {
		e.last.Store(min((n+farTail-1)/farTail*farTail, farTails))
	}
}

// tail is how many bytes of the next file's end are likely to be tables.
func (e *farEnds) tail() int64 {
	if e == nil {
		return 0
	}
	return e.last.Load()
}

// farTails is the most of a file's end that is read on a guess.
const farTails = 4 * farTail
