package npy

import (
	"archive/zip"
	"context"
	"errors"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"github.com/spoolmedia/spool"
)

// Archive is an NPZ file: named arrays.
type Archive struct {
	object  spool.Object
	limit   int64
	entries []entry
	byName  map[string]int
}

// entry is the position of an array.
type entry struct {
	name             string
	offset           int64
	compressed, size int64
	crc              uint32
	method           uint16
}

// maxEntries limits the arrays of an archive.
const maxEntries = 1 << 20

// Open reads the directory of an archive. limit is the most bytes of one array, 0 for no limit. The caller keeps the
// object open while the archive is used, and closes it.
func Open(ctx context.Context, o spool.Object, limit int64) (*Archive, error) {
	r := &reader{ctx: ctx, object: o}
	z, err := zip.NewReader(r, o.Info().Size)
	switch {
	case r.failed != nil:
		return nil, r.failed
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, failed(spool.ErrTruncated, "the archive ends in its directory")
	case err != nil:
		return nil, failed(spool.ErrCorrupt, "not an NPZ file, or a truncated one: %v", err)
	case len(z.File) > maxEntries:
		return nil, failed(spool.ErrTooLarge, "%d arrays, the limit is %d", len(z.File), maxEntries)
	}
	a := &Archive{object: o, limit: limit, byName: map[string]int{}}
	for _, f := range z.File {
		e, err := a.entry(f)
		if err == nil && r.failed != nil {
			err = r.failed
		}
		if err != nil {
			return nil, err
		}
		if _, ok := a.byName[e.name]; ok {
			return nil, failed(spool.ErrCorrupt, "the archive has %q twice", e.name)
		}
		a.byName[e.name] = len(a.entries)
		a.entries = append(a.entries, e)
	}
	return a, a.checkOverlap()
}

// entry checks a file of the directory.
func (a *Archive) entry(f *zip.File) (entry, error) {
	e := entry{name: strings.TrimSuffix(f.Name, ".npy"), compressed: int64(f.CompressedSize64),
		size: int64(f.UncompressedSize64), crc: f.CRC32, method: f.Method}
	offset, err := f.DataOffset()
	e.offset = offset
	size := a.object.Info().Size
	switch {
	case !named(f.Name):
		return entry{}, failed(spool.ErrCorrupt, "%q is not a valid array name", f.Name)
	case f.Flags&1 != 0:
		return entry{}, failed(spool.ErrUnsupported, "%s is encrypted", f.Name)
	case e.method != zip.Store && e.method != zip.Deflate:
		return entry{}, failed(spool.ErrUnsupported, "%s is compressed by method %d", f.Name, e.method)
	case err != nil:
		return entry{}, failed(spool.ErrCorrupt, "%s is not at its position in the directory: %v", f.Name, err)
	case e.compressed < 0 || e.size < 0 || offset > size || e.compressed > size-offset:
		return entry{}, failed(spool.ErrTruncated, "%s extends beyond the archive", f.Name)
	case e.method == zip.Store && e.compressed != e.size:
		return entry{}, failed(spool.ErrCorrupt, "%s has %d bytes stored as %d", f.Name, e.size, e.compressed)
	}
	return e, nil
}

// named reports whether a file's name is valid for an array: a path within the archive, without control characters.
func named(name string) bool {
	if name == "" || name[0] == '/' ||
		strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' }) {
		return false
	}
	return !slices.Contains(strings.Split(name, "/"), "..")
}

// checkOverlap reports arrays that share bytes, with which a few KB could hold many large arrays.
func (a *Archive) checkOverlap() error {
	order := make([]int, len(a.entries))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int { return int(min(1, max(-1, a.entries[x].offset-a.entries[y].offset))) })
	for i := 1; i < len(order); i++ {
		before, e := a.entries[order[i-1]], a.entries[order[i]]
		if before.offset+before.compressed > e.offset {
			return failed(spool.ErrCorrupt, "%q and %q overlap", before.name, e.name)
		}
	}
	return nil
}

// Names returns the names of the arrays, in the order of the directory, without ".npy".
func (a *Archive) Names() []string {
	names := make([]string, len(a.entries))
	for i, e := range a.entries {
		names[i] = e.name
	}
	return names
}

// Array reads an array. If there is none of that name, the error is ErrNotFound.
func (a *Archive) Array(ctx context.Context, name string) (Array, error) {
	i, ok := a.byName[name]
	if !ok {
		return Array{}, failed(spool.ErrNotFound, "no array is called %q", name)
	}
	e := a.entries[i]
	if a.limit > 0 && e.size > a.limit {
		return Array{}, failed(spool.ErrTooLarge, "%q has %d bytes, the limit is %d", name, e.size, a.limit)
	}
	data, err := a.bytes(ctx, e)
	if err != nil {
		return Array{}, err
	}
	if crc32.ChecksumIEEE(data) != e.crc {
		return Array{}, failed(spool.ErrCorrupt, "the checksum of %q does not match", name)
	}
	array, rest, err := Parse(data)
	if err == nil && len(rest) > 0 {
		err = failed(spool.ErrCorrupt, "%q has %d bytes more than its array", name, len(rest))
	}
	return array, err
}

// bytes returns the contents of an entry: a part of the archive's memory if possible.
func (a *Archive) bytes(ctx context.Context, e entry) ([]byte, error) {
	if e.method == zip.Deflate {
		return a.inflate(ctx, e)
	}
	if memory, ok := a.object.(interface{ Bytes() []byte }); ok {
		return memory.Bytes()[e.offset:][:e.size:e.size], nil
	}
	data := make([]byte, e.size)
	n, err := a.object.ReadAt(ctx, data, e.offset)
	switch {
	case n == len(data):
		return data, nil
	case err == nil || errors.Is(err, io.EOF):
		return nil, failed(spool.ErrTruncated, "the archive ends in %q", e.name)
	}
	return nil, err
}

// inflate allocates memory only for sizes that are possible: a deflated byte expands to at most 1032.
func (a *Archive) inflate(ctx context.Context, e entry) ([]byte, error) {
	if e.size/1032 > e.compressed {
		return nil, failed(spool.ErrCorrupt, "%q cannot have %d bytes, deflated to %d", e.name, e.size, e.compressed)
	}
	in := &reader{ctx: ctx, object: a.object}
	r := flate.NewReader(io.NewSectionReader(in, e.offset, e.compressed))
	defer r.Close()
	data := make([]byte, e.size)
	n, err := io.ReadFull(r, data)
	if err == nil {
		var more [1]byte
		if _, err = io.ReadFull(r, more[:]); err == nil {
			return nil, failed(spool.ErrCorrupt, "%q has more than its %d bytes", e.name, e.size)
		}
		if errors.Is(err, io.EOF) {
			return data, nil
		}
	}
	switch {
	case in.failed != nil:
		return nil, in.failed
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, failed(spool.ErrTruncated, "%q ends after %d of %d bytes", e.name, n, e.size)
	}
	return nil, failed(spool.ErrCorrupt, "%q does not inflate: %v", e.name, err)
}

// reader adapts an object to readers without contexts.
type reader struct {
	ctx    context.Context
	object spool.Object
	failed error
}

func (r *reader) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.object.ReadAt(r.ctx, p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		r.failed = err
	}
	return n, err
}

// Read returns the first array of an NPY file; its data is a part of the bytes that were read. limit is the most bytes
// of the file, 0 for no limit.
func Read(ctx context.Context, o spool.Object, limit int64) (Array, error) {
	size := o.Info().Size
	if limit > 0 && size > limit {
		return Array{}, failed(spool.ErrTooLarge, "%d bytes, the limit is %d", size, limit)
	}
	if memory, ok := o.(interface{ Bytes() []byte }); ok {
		a, _, err := Parse(memory.Bytes())
		return a, err
	}
	data := make([]byte, size)
	n, err := o.ReadAt(ctx, data, 0)
	if int64(n) < size && err != nil && !errors.Is(err, io.EOF) {
		return Array{}, err
	}
	a, _, err := Parse(data[:n])
	return a, err
}
