package parquet

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool"
)

// ratios are the most bytes to which a codec can expand one. In Snappy two or three bytes copy 64. Deflate expands a
// byte to at most 1032, and Zstandard four bytes to a block of 128 KiB.
var ratios = map[format.CompressionCodec]int{format.Uncompressed: 1, format.Snappy: 32, format.Gzip: 1032,
	format.Zstd: 32 << 10}

// decompress returns size bytes, of which the first plain ones are not compressed. It uses the memory of out, or more.
func decompress(codec format.CompressionCodec, out, data []byte, plain, size int) ([]byte, error) {
	packed := data[plain:]
	n := size - plain
	if n == 0 {
		return data[:plain], nil
	}
	if n/ratios[codec] > len(packed) {
		return nil, corrupt("%d bytes cannot have been compressed by %v to %d", n, codec, len(packed))
	}
	out = append(slices.Grow(out[:0], size), data[:plain]...)[:size]
	got, err := expand(codec, out[plain:plain:size], packed)
	if err != nil {
		return nil, &spool.Error{Op: "read", Class: spool.ErrCorrupt, Text: "a page that does not decompress: " + err.Error(),
			Err: err}
	}
	if got != n {
		return nil, corrupt("a page of %d bytes, which declares %d", got, n)
	}
	return out, nil
}

// expand fills at most the capacity of out, and returns the number of bytes, which is larger if they do not fit.
func expand(codec format.CompressionCodec, out, packed []byte) (int, error) {
	switch codec {
	case format.Snappy:
		n, err := snappy.DecodedLen(packed)
		if err != nil || n > cap(out) {
			return n, err
		}
		_, err = snappy.Decode(out[:n], packed)
		return n, err
	case format.Zstd:
		r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return 0, err
		}
		defer r.Close()
		data, err := r.DecodeAll(packed, out)
		return len(data), err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return 0, err
	}
	n, err := io.ReadFull(r, out[:cap(out)])
	if err != nil {
		return n, err
	}
	more, err := io.CopyN(io.Discard, r, 1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n + int(more), err
}
