package container

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"sync/atomic"

	"github.com/spoolmedia/spool/internal/ranges"
)

// remoteHead is how much of a remote object the first request reads: usually all metadata of a clip of one minute whose
// tables are at the front.
const remoteHead = 96 << 10

// Sizes of further reads at the end of a remote file, where its tables may be.
const (
	remoteTail = 64 << 10
	RemoteEnd  = 1 << 20 // the rest after the packets is read in one request up to this size
)

// detect prefetches what a demuxer reads when it opens the file, so that the demuxer need not wait while it holds
// admission to C.
func (d *Remote) detect(ctx context.Context) error {
	head := make([]byte, min(remoteHead, d.Size()))
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
	case n >= 8 && isBox(string(head[4:8])):
		return d.boxes(ctx)
	case n >= 4 && binary.BigEndian.Uint32(head) == 0x1a45dfa3: // EBML: Matroska, with its cues usually at the end
		d.Expect([]ranges.Range{{Begin: max(0, d.Size()-remoteTail), End: d.Size()}})
	}
	return nil
}

// boxes parses the top-level boxes of an ISO media file, up to the tables and the packets. It stops without an error if
// the file is no ISO media file after all: the demuxer reports that.
func (d *Remote) boxes(ctx context.Context) error {
	moov, mdat, file := false, false, boxFile{ctx, d, d.Size()}
	for off, n := int64(0), 0; off < d.Size() && n < mostBoxes && !(moov && mdat); n++ {
		if d.Size()-off <= RemoteEnd { // the last boxes in one request
			d.Expect([]ranges.Range{{Begin: off, End: d.Size()}})
		}
		kind, body, end, err := file.box(off)
		if err != nil || end < 0 {
			return err
		}
		switch kind {
		case "moov":
			moov = true
			part := ranges.Range{Begin: off, End: end + boxHead} // and the next header
			d.Expect([]ranges.Range{part})
			if d.fragmented, err = file.hasFragments(body, end); err != nil {
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
	d.Tables = moov && !d.fragmented
	return nil
}

// Ends remembers where the tables of MP4 files are, usually the same place in a whole data set. It is safe for
// concurrent use.
type Ends struct{ last atomic.Int64 }

// saw records that a file has n bytes of tables at its end, or 0.
func (e *Ends) saw(n int64) {
	if e != nil {
		e.last.Store(min((n+remoteTail-1)/remoteTail*remoteTail, remoteTails))
	}
}

// tail is how many bytes at the end of the next file are probably tables.
func (e *Ends) tail() int64 {
	if e == nil {
		return 0
	}
	return e.last.Load()
}

// remoteTails bounds the speculative read at the end of a file.
const remoteTails = 4 * remoteTail
