package parquet

import (
	"context"
	"hash/crc32"

	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool"
)

// chunk is a column in a row group: consecutive pages, the first of which may be a dictionary.
type chunk struct {
	leaf       *leaf
	codec      format.CompressionCodec
	start, end int64
	rows       int
	err        error // why it cannot be read
}

// page is the position and form of some values, or of a dictionary.
type page struct {
	at               int64 // of its data
	compressed, size int   // stored bytes, and decompressed ones
	crc              int32 // 0: none
	codec            format.CompressionCodec
	values           int // including missing ones
	dictionary       bool
	encoding         format.Encoding
	levelEncoding    format.Encoding // version 1
	v2               bool
	plain            int // version 2: bytes of levels at the beginning, which are not compressed
	skipped          int // of these, the repetition levels
}

// Bounds far above those of real files.
const (
	maxValues = 1 << 24 // a page
	maxPages  = 1 << 20 // a chunk
	maxHeader = 1 << 20 // bytes: statistics may hold whole values
)

// chunk returns the chunk of a leaf in a row group.
func (f *footer) chunk(group int, l *leaf) (chunk, error) {
	g := &f.groups[group]
	c := &g.Columns[l.index]
	m := &c.MetaData
	x := chunk{leaf: l, codec: m.Codec, start: m.DataPageOffset, rows: int(g.NumRows)}
	if d := m.DictionaryPageOffset; d > 0 && d < x.start {
		x.start = d
	}
	x.end = x.start + m.TotalCompressedSize
	if x.rows == 0 {
		return chunk{leaf: l}, nil
	}
	switch {
	case c.FilePath != "":
		return chunk{}, failed(spool.ErrUnsupported, "column %s is in another file", l.name)
	case c.CryptoMetadata.Value != nil:
		return chunk{}, failed(spool.ErrUnsupported, "column %s is encrypted", l.name)
	case m.Type != l.kind:
		return chunk{}, corrupt("column %s holds %v, the schema says %v", l.name, m.Type, l.kind)
	case m.TotalCompressedSize < 0 || x.start < int64(len(magic)) || x.start > f.size || x.end > f.size-tailBytes:
		return chunk{}, corrupt("column %s extends beyond the file", l.name)
	}
	if _, ok := ratios[m.Codec]; !ok {
		return chunk{}, failed(spool.ErrUnsupported, "column %s is compressed by %v", l.name, m.Codec)
	}
	return x, nil
}

// pages calls each for the pages of a chunk, in order. It reads at least step bytes at a time. Until the next page, the
// window also serves reads of the page's data.
func (x *chunk) pages(ctx context.Context, o spool.Object, step int, each func(page, *window) error) error {
	w := &window{ctx: ctx, object: o, end: x.end, step: step}
	rows, n := 0, 0
	for at := x.start; at < x.end; n++ {
		if n == maxPages {
			return failed(spool.ErrTooLarge, "column %s has more than %d pages in a row group", x.leaf.name, maxPages)
		}
		header, used, err := w.header(at)
		if err != nil {
			return err
		}
		p, data, err := x.page(header)
		if err != nil {
			return err
		}
		p.at = at + int64(used)
		if int64(p.compressed) > x.end-p.at {
			return corrupt("a page of column %s has %d bytes, and there are %d", x.leaf.name, p.compressed, x.end-p.at)
		}
		if at = p.at + int64(p.compressed); !data {
			continue
		}
		if !p.dictionary && x.leaf.repeats == 0 {
			rows += p.values
		}
		if p.dictionary && n > 0 || rows > x.rows {
			return corrupt("column %s has more values than rows, or a dictionary among them", x.leaf.name)
		}
		if err := each(p, w); err != nil {
			return err
		}
	}
	if rows != x.rows && x.leaf.repeats == 0 {
		return corrupt("column %s has %d values for %d rows", x.leaf.name, rows, x.rows)
	}
	return nil
}

// page returns the page that a header describes; data reports whether it has values.
func (x *chunk) page(h *format.PageHeader) (p page, data bool, err error) {
	p = page{compressed: int(h.CompressedPageSize), size: int(h.UncompressedPageSize), crc: h.CRC, codec: x.codec}
	v1, v2, dictionary := &h.DataPageHeader, &h.DataPageHeaderV2, &h.DictionaryPageHeader
	switch {
	case h.Type == format.DataPage && v1.Valid:
		p.values, p.encoding, p.levelEncoding = int(v1.V.NumValues), v1.V.Encoding, v1.V.DefinitionLevelEncoding
	case h.Type == format.DataPageV2 && v2.Valid:
		p.v2, p.values, p.encoding = true, int(v2.V.NumValues), v2.V.Encoding
		p.skipped = int(v2.V.RepetitionLevelsByteLength)
		p.plain = p.skipped + int(v2.V.DefinitionLevelsByteLength)
		if v2.V.IsCompressed.Valid && !v2.V.IsCompressed.V {
			p.codec = format.Uncompressed
		}
	case h.Type == format.DictionaryPage && dictionary.Valid:
		p.dictionary, p.values = true, int(dictionary.V.NumValues)
	case h.Type == format.IndexPage:
		return p, false, nil
	default:
		return p, false, corrupt("a page of column %s of no known kind: %v", x.leaf.name, h.Type)
	}
	switch {
	case p.compressed < 0 || p.size < 0 || p.values < 0 || p.skipped < 0 || p.plain < p.skipped ||
		p.plain > min(p.compressed, p.size):
		return p, false, corrupt("a page of column %s with impossible sizes", x.leaf.name)
	case p.values > maxValues:
		return p, false, failed(spool.ErrTooLarge, "a page of column %s has %d values, the limit is %d", x.leaf.name,
			p.values, maxValues)
	}
	return p, true, nil
}

// window reads a file sequentially.
type window struct {
	ctx    context.Context
	object spool.Object
	end    int64 // nothing after it is read
	step   int

	buffer []byte
	out    []byte // a decompressed page
	data   []byte // the bytes read last, which begin at from
	from   int64
}

// bytes returns n bytes, or fewer at the end. They are valid until the next call.
func (w *window) bytes(at int64, n int) ([]byte, error) {
	n = int(min(int64(n), w.end-at))
	if skip := at - w.from; skip >= 0 && skip+int64(n) <= int64(len(w.data)) {
		return w.data[skip:][:n], nil
	}
	want := int(min(int64(max(n, w.step)), w.end-at))
	if want > cap(w.buffer) {
		w.buffer = make([]byte, want)
	}
	w.data = nil
	if err := readAt(w.ctx, w.object, w.buffer[:want], at); err != nil {
		return nil, err
	}
	w.data, w.from = w.buffer[:want], at
	return w.data[:n], nil
}

// header decodes the header of a page, and returns its length.
func (w *window) header(at int64) (*format.PageHeader, int, error) {
	for n := 1 << 10; ; n *= 8 {
		data, err := w.bytes(at, n)
		if err != nil {
			return nil, 0, err
		}
		if used, ok := checkThrift(data); ok {
			h := &format.PageHeader{}
			return h, used, decodeThrift(data[:used:used], h)
		}
		if len(data) < n || n >= maxHeader {
			return nil, 0, corrupt("an invalid page header at byte %d", at)
		}
	}
}

// contents returns the decompressed bytes of a page. They are valid until the next call.
func (w *window) contents(p page, limit int64) (data []byte, err error) {
	if int64(p.size) > limit || int64(p.compressed) > limit {
		return nil, failed(spool.ErrTooLarge, "a page of %d bytes, the limit is %d", max(p.size, p.compressed), limit)
	}
	if data, err = w.bytes(p.at, p.compressed); err != nil {
		return nil, err
	}
	if p.crc != 0 && crc32.ChecksumIEEE(data) != uint32(p.crc) {
		return nil, corrupt("the checksum of the page at byte %d does not match", p.at)
	}
	if p.codec == format.Uncompressed {
		if p.size != p.compressed {
			return nil, corrupt("a page of %d bytes stored as %d", p.size, p.compressed)
		}
		return data, nil
	}
	w.out, err = decompress(p.codec, w.out, data, p.plain, p.size)
	return w.out, err
}
