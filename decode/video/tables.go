package video

import (
	"errors"
	"io"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/internal/container"
)

// tabled makes the index from the container's tables, without reading all packets. It returns nil for a container
// without such tables, and where they do not tell which frames exist. Local packets are read for that in more codecs
// than remote ones, for which it would take the whole file.
func (v *Video) tabled(c *call.Call, opened *av.Input, file index.File, s index.Stream) (*index.Index, error) {
	if !v.in.IsFar() && !opened.TablesTell(s.Number) {
		return nil, nil
	}
	if has, err := v.in.HasTables(c.Context()); err != nil || !has { // reads a local file
		return nil, err
	}
	tables, err := container.OpenTables(c, v.in)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tables.Close() }() // always nil
	entries, err := tables.Scan(c, s.Number)
	if err != nil && (c.Err() != nil || len(entries) == 0) {
		return nil, err
	}
	packets := container.PacketsOf(entries)
	if needsDecoding(s.Codec, packets) {
		return nil, nil
	}
	if s.Codec == "h264" && !v.in.IsFar() {
		if refreshes, err := v.refreshes(c, opened, s.Number, packets); err != nil || refreshes {
			return nil, err
		}
	}
	s.Cut = breaksOff(packets, err)
	x, err := index.New(file, s, packets)
	if err != nil || v.in.IsFar() || steady(x) {
		return x, err
	}
	return nil, nil
}

// steady reports whether the last frame has the duration of the previous frame. FFmpeg does not report the durations of
// the container's table, and without the packets it guesses that of the last frame differently.
func steady(x *index.Index) bool {
	n := x.Len()
	return n > 1 && x.Packets[x.PacketOf(n-1)].Duration == x.Ticks(n-1)-x.Ticks(n-2)
}

// keyHead is how much of a key packet is read: all before its pixels.
const keyHead = 4 << 10

// refreshes reports whether frames are complete only some time after one of the key packets (av.Entry.Refresh), which
// tables do not tell.
func (v *Video) refreshes(c *call.Call, opened *av.Input, stream int, packets []index.Packet) (bool, error) {
	head := make([]byte, keyHead)
	for i := range packets {
		p := &packets[i]
		if p.Flags&index.Key == 0 || p.Pos < 0 {
			continue
		}
		n, err := v.in.Object.ReadAt(c.Context(), head[:min(keyHead, int(p.Size))], p.Pos)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if opened.Refreshes(stream, head[:n]) {
			return true, nil
		}
	}
	return false, nil
}
