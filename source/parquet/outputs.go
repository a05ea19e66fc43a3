package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// outputs are the values of a column in the row group so far.
type outputs struct {
	path  []string
	kind  format.Type
	level byte         // definition level of a value that is there
	gzip  *gzip.Writer // nil: without compression

	data  []byte // the values of all pages in PLAIN encoding
	pages []outputPage
	from  int    // of the current page, in data
	runs  []byte // definition levels of the current page: runs in RLE
	run   uint64 // rows of the last run
	last  byte   // and its level
	bits  int    // truth values of the current page
	rows  int32  // of the current page
	nulls int64
}

// outputPage is a page that is complete.
type outputPage struct {
	head, body []byte // without compression, head ends with the levels, and body is a part of data
	plain      int64  // bytes of both, before compression
}

// pageBytes are enough for a page.
const pageBytes = 1 << 20

func (o *outputs) bytes(p []byte, there bool) error {
	if there {
		o.data = binary.LittleEndian.AppendUint32(o.data, uint32(len(p)))
		o.data = append(o.data, p...)
	}
	return o.mark(there)
}

func (o *outputs) number(bits uint64, there bool) error {
	if there {
		o.data = binary.LittleEndian.AppendUint64(o.data, bits)
	}
	return o.mark(there)
}

func (o *outputs) bit(v, there bool) error {
	if there {
		if o.bits%8 == 0 {
			o.data = append(o.data, 0)
		}
		if v {
			o.data[len(o.data)-1] |= 1 << (o.bits % 8)
		}
		o.bits++
	}
	return o.mark(there)
}

// mark ends a value, which is there or not.
func (o *outputs) mark(there bool) error {
	level := o.level
	if !there {
		level = 0
		o.nulls++
	}
	if level != o.last {
		o.endRun()
	}
	o.last = level
	o.run++
	if o.rows++; len(o.data)-o.from < pageBytes {
		return nil
	}
	return o.page()
}

// endRun writes the last run of levels.
func (o *outputs) endRun() {
	if o.run > 0 {
		o.runs = append(binary.AppendUvarint(o.runs, o.run<<1), o.last)
	}
	o.run = 0
}

// page completes the current page, if it has rows.
func (o *outputs) page() error {
	if o.rows == 0 {
		return nil
	}
	o.endRun()
	levels := append(binary.LittleEndian.AppendUint32(nil, uint32(len(o.runs))), o.runs...)
	body := o.data[o.from:]
	plain := len(levels) + len(body)
	if o.gzip != nil {
		var packed bytes.Buffer
		o.gzip.Reset(&packed)
		for _, part := range [][]byte{levels, body} {
			if _, err := o.gzip.Write(part); err != nil {
				return err // never, in memory
			}
		}
		if err := o.gzip.Close(); err != nil {
			return err
		}
		levels, body, o.data = nil, packed.Bytes(), o.data[:o.from]
	}
	sum := crc32.Update(crc32.ChecksumIEEE(levels), crc32.IEEETable, body)
	head, err := encodeThrift(&format.PageHeader{Type: format.DataPage, UncompressedPageSize: int32(plain),
		CompressedPageSize: int32(len(levels) + len(body)), CRC: int32(sum),
		DataPageHeader: thrift.New(format.DataPageHeader{NumValues: o.rows, Encoding: format.Plain,
			DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE})})
	if err != nil {
		return err
	}
	o.pages = append(o.pages, outputPage{append(head, levels...), body, int64(len(head) + plain)})
	o.from, o.rows, o.bits, o.runs = len(o.data), 0, 0, o.runs[:0]
	return nil
}

// empty begins the next row group.
func (o *outputs) empty() {
	o.data, o.pages, o.from, o.nulls = o.data[:0], o.pages[:0], 0, 0
}
