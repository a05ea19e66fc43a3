package parquet

import (
	"context"
	"encoding/binary"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool"
)

// footer is a file's metadata. The layout of a file is a magic number, row groups, the metadata, its length, and the
// magic number again: see https://parquet.apache.org/docs/file-format.
type footer struct {
	size    int64 // of the file
	rows    int
	columns []*node
	leaves  []*leaf
	groups  []format.RowGroup
	chunked map[*leaf][]chunk
}

const (
	magic     = "PAR1"
	tailBytes = 8 // length and magic number
	maxFooter = 256 << 20
	maxRows   = 1 << 31
)

// readFooter reads and checks the metadata.
func readFooter(ctx context.Context, o spool.Object) (*footer, error) {
	size := o.Info().Size
	tail := make([]byte, min(size, 64<<10)) // usually the whole footer
	if err := readAt(ctx, o, tail, size-int64(len(tail))); err != nil {
		return nil, err
	}
	if len(tail) < len(magic)+tailBytes {
		return nil, failed(spool.ErrTruncated, "%d bytes are too few for a Parquet file", size)
	}
	n := int64(binary.LittleEndian.Uint32(tail[len(tail)-tailBytes:]))
	switch string(tail[len(tail)-len(magic):]) {
	case magic:
	case "PARE":
		return nil, failed(spool.ErrUnsupported, "an encrypted Parquet file")
	default:
		return nil, noParquet(ctx, o)
	}
	switch {
	case n > size-tailBytes-int64(len(magic)):
		return nil, corrupt("a footer of %d bytes in a file of %d", n, size)
	case n > maxFooter:
		return nil, failed(spool.ErrTooLarge, "a footer of %d bytes, the limit is %d", n, maxFooter)
	}
	data := tail[:len(tail)-tailBytes]
	if n <= int64(len(data)) {
		data = data[int64(len(data))-n:]
	} else {
		data = make([]byte, n)
		if err := readAt(ctx, o, data, size-tailBytes-n); err != nil {
			return nil, err
		}
	}
	if used, ok := checkThrift(data); !ok || used != len(data) {
		return nil, corrupt("an invalid footer, or a signed one")
	}
	var meta format.FileMetaData
	if err := decodeThrift(data, &meta); err != nil {
		return nil, err
	}
	f := &footer{size: size, groups: meta.RowGroups, chunked: map[*leaf][]chunk{}}
	return f, f.check(&meta)
}

// noParquet returns the error of a file without a footer. A magic number at its beginning shows that it was truncated.
func noParquet(ctx context.Context, o spool.Object) error {
	var begin [len(magic)]byte
	if err := readAt(ctx, o, begin[:], 0); err != nil {
		return err
	}
	if string(begin[:]) == magic {
		return failed(spool.ErrTruncated, "the end of the Parquet file is missing")
	}
	return failed(spool.ErrNotMedia, "not a Parquet file")
}

// decodeThrift decodes a structure that hold has checked. The library panics at some invalid ones.
func decodeThrift(data []byte, v any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = corrupt("metadata that cannot be read: %v", r)
		}
	}()
	if err := thrift.NewDecoder((&thrift.CompactProtocol{}).NewReaderFromBytes(data)).Decode(v); err != nil {
		return corrupt("metadata that cannot be read: %v", err)
	}
	return nil
}

func (f *footer) check(meta *format.FileMetaData) (err error) {
	if meta.EncryptionAlgorithm.Value != nil {
		return failed(spool.ErrUnsupported, "an encrypted Parquet file")
	}
	if f.columns, f.leaves, err = newSchema(meta.Schema); err != nil {
		return err
	}
	for i := range f.groups {
		g := &f.groups[i]
		if len(g.Columns) != len(f.leaves) || g.NumRows < 0 {
			return corrupt("row group %d has %d rows and %d columns, the schema has %d", i, g.NumRows, len(g.Columns),
				len(f.leaves))
		}
		if g.NumRows > maxRows-int64(f.rows) {
			return failed(spool.ErrTooLarge, "more than %d rows", maxRows)
		}
		f.rows += int(g.NumRows)
	}
	return nil
}

// readAt fills p.
func readAt(ctx context.Context, o spool.Object, p []byte, off int64) error {
	n, err := o.ReadAt(ctx, p, off)
	switch {
	case n == len(p):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return failed(spool.ErrTruncated, "the file ends at byte %d", off+int64(n))
	}
	return err
}
