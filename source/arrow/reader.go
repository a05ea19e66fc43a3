package arrow

import (
	"context"
	"encoding/binary"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// file reads parts of a file, which it opens when it first needs to. Its users close it.
type file struct {
	ctx    context.Context
	reader *reader
	object spool.Object // nil until it is needed
}

// reader is what the files of all cells share.
type reader struct {
	open    func(context.Context) (spool.Object, error)
	size    int64
	cache   *table.Cache
	mapping *mappedFile // nil if the file is not mapped
}

// block is the bytes that are read together, and cached, for small values. A value of up to small bytes is one.
const (
	block = 64 << 10
	small = 8 << 10
)

// blockKey is a cache key: a block of a file.
type blockKey struct {
	*reader
	number int64
}

func (r *reader) file(ctx context.Context) *file { return &file{ctx: ctx, reader: r} }

// open returns the open file, whose size must be unchanged.
func (f *file) open(ctx context.Context) (spool.Object, error) {
	if f.object != nil {
		return f.object, nil
	}
	o, err := f.reader.open(ctx)
	if err != nil {
		return nil, err
	}
	if size := o.Info().Size; size != f.reader.size {
		o.Close()
		return nil, failed(spool.ErrIO, "the file was changed: %d bytes when it was listed, now %d", f.reader.size, size)
	}
	f.object = o
	return o, nil
}

// Close closes the file.
func (f *file) Close() {
	if f.object != nil {
		_ = f.object.Close() // it was only read
	}
}

// read returns n bytes of a buffer at a position in it. Callers must not change them.
func (f *file) read(in span, at, n int64) ([]byte, error) {
	switch {
	case at < 0 || n < 0 || at > in.size || n > in.size-at:
		return nil, corrupt("a value beyond its buffer at byte %d", in.at)
	case n > f.reader.cache.Limit():
		return nil, failed(spool.ErrTooLarge, "a value of %d bytes", n)
	}
	at += in.at
	if f.reader.mapping != nil {
		return f.reader.mapping.read(at, n)
	}
	if n > small {
		return f.direct(f.ctx, at, n)
	}
	var data []byte
	for n > 0 {
		b, err := f.block(at / block)
		if err != nil {
			return nil, err
		}
		from := at % block
		part := b[min(from, int64(len(b))):min(from+n, int64(len(b)))]
		if len(part) == 0 {
			return nil, failed(spool.ErrTruncated, "the file ends at byte %d", at)
		}
		if data == nil && int64(len(part)) == n {
			return part, nil
		}
		data = append(data, part...)
		at, n = at+int64(len(part)), n-int64(len(part))
	}
	return data, nil
}

// block returns a block of the file, from the cache or by reading it.
func (f *file) block(number int64) ([]byte, error) {
	key := blockKey{f.reader, number}
	return f.reader.cache.Get(f.ctx, key, func(ctx context.Context) ([]byte, error) {
		return f.direct(ctx, number*block, min(block, f.reader.size-number*block))
	})
}

// direct reads from the file.
func (f *file) direct(ctx context.Context, at, n int64) ([]byte, error) {
	o, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	data := make([]byte, n)
	if m, err := spool.ReadRange(ctx, o, data, at); int64(m) < n {
		if err == nil {
			err = failed(spool.ErrTruncated, "the file ends at byte %d", at+int64(m))
		}
		return nil, err
	}
	return data, nil
}

// valid reports whether value i of a field is there.
func (f *file) valid(b *batch, x *field, i int64) (bool, error) {
	if x.kind == null {
		return false, nil
	}
	if b.buffers[x.first].size == 0 {
		return true, nil
	}
	bits, err := f.read(b.buffers[x.first], i/8, 1)
	return err == nil && bits[0]>>(i%8)&1 == 1, err
}

// bounds returns the part of the values that belongs to value i: bytes of text and binary, elements of lists.
func (f *file) bounds(b *batch, x *field, i int64) (from, to int64, err error) {
	switch x.kind {
	case fixedList:
		return i * int64(x.elements), (i + 1) * int64(x.elements), nil
	case largeBinaries, largeUTF8, largeList:
		var p []byte
		if p, err = f.read(b.buffers[x.first+1], 8*i, 16); err == nil {
			from, to = int64(binary.LittleEndian.Uint64(p)), int64(binary.LittleEndian.Uint64(p[8:]))
		}
	default:
		var p []byte
		if p, err = f.read(b.buffers[x.first+1], 4*i, 8); err == nil {
			from, to = int64(int32(binary.LittleEndian.Uint32(p))), int64(int32(binary.LittleEndian.Uint32(p[4:])))
		}
	}
	if err == nil && (from < 0 || to < from) {
		err = corrupt("column %s has a value that ends before it begins", x.name)
	}
	return from, to, err
}

// place returns where the bytes of value i are: of text and binary.
func (f *file) place(b *batch, x *field, i int64) (in span, from, to int64, err error) {
	if x.kind == fixedBinary {
		size := int64(x.width / 8)
		return b.buffers[x.first+1], i * size, (i + 1) * size, nil
	}
	from, to, err = f.bounds(b, x, i)
	in = b.buffers[x.first+2]
	if err == nil && to > in.size {
		err = corrupt("column %s has a value beyond its buffer", x.name)
	}
	return in, from, to, err
}
