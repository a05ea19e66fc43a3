package container

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

const (
	mostBoxes = 64 // top-level boxes that are read
	boxHead   = 16 // the largest size of a box header
)

// boxFile reads the boxes of an ISO media file.
type boxFile struct {
	ctx  context.Context
	file interface {
		ReadAt(ctx context.Context, p []byte, off int64) (int, error)
	}
	size int64
}

// box reads the header of a box: its type, and where its body begins and ends; end is negative without a valid box.
func (f boxFile) box(off int64) (kind string, body, end int64, err error) {
	var head [boxHead]byte
	n, err := f.file.ReadAt(f.ctx, head[:], off)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", 0, 0, err
	}
	if n < 8 {
		return "", 0, -1, nil
	}
	size, length := int64(binary.BigEndian.Uint32(head[:])), int64(8)
	switch {
	case size == 0: // the box extends to the end of the file
		size = f.size - off
	case size == 1 && n == boxHead:
		size, length = int64(binary.BigEndian.Uint64(head[8:])), 16
	}
	if size < length || size > f.size-off {
		return "", 0, -1, nil
	}
	return string(head[4:8]), off + length, off + size, nil
}

// hasFragments reports whether the header of an ISO media file announces fragments.
func (f boxFile) hasFragments(body, end int64) (bool, error) {
	for off := body; off < end; {
		kind, _, next, err := f.box(off)
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

// HasTables reports whether the input is an ISO media file whose tables describe all packets: one that is not
// fragmented. For a local object it reads the headers of the top-level boxes.
func (in *Input) HasTables(ctx context.Context) (bool, error) {
	switch {
	case in.Remote != nil:
		return in.Remote.Tables, nil
	case in.IsStream():
		return false, nil
	}
	file := boxFile{ctx, in.Object, in.Info.Size}
	for off, n := int64(0), 0; off < file.size && n < mostBoxes; n++ {
		kind, body, end, err := file.box(off)
		switch {
		case err != nil || end < 0 || n == 0 && !isBox(kind) || kind == "moof" || kind == "sidx":
			return false, err
		case kind == "moov":
			fragmented, err := file.hasFragments(body, end)
			return !fragmented, err
		}
		off = end
	}
	return false, nil
}

// isBox reports whether ISO media files begin with a box of this type.
func isBox(kind string) bool {
	return slices.Contains([]string{"ftyp", "moov", "mdat", "free", "skip", "wide", "pnot"}, kind)
}
