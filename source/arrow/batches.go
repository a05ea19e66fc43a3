package arrow

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/spoolmedia/spool"
)

// span is a part of a file.
type span struct{ at, size int64 }

// batch is a record batch: rows, column by column.
type batch struct {
	rows    int
	buffers []span
}

// contents are the schema and the record batches of a file.
type contents struct {
	columns []*field
	batches []batch
	first   []int   // the number of rows before each batch, and of all
	nulls   []int64 // missing values of each field, in all batches
	parser  parser
	ours    bool     // WriteTable wrote the file
	classes []string // the names of its labels
	sizes   []int    // the rows of each of its shards
	further []string // names of its columns that a loader does not use
}

// The types of messages, by their numbers in Message.fbs.
const (
	schemaMessage = 1
	dictionaries  = 2
	recordBatch   = 3
)

// scanner reads the messages of a stream.
type scanner struct {
	ctx    context.Context
	object spool.Object
	at     int64
	end    int64
	limit  int64 // of the bytes of a header
}

// read reads n bytes.
func (s *scanner) read(n int64) ([]byte, error) {
	if n > s.end-s.at {
		return nil, failed(spool.ErrTruncated, "the file ends within a message, at byte %d", s.end)
	}
	if n > s.limit {
		return nil, failed(spool.ErrTooLarge, "a header of %d bytes at byte %d", n, s.at)
	}
	data := make([]byte, n)
	if m, err := spool.ReadRange(s.ctx, s.object, data, s.at); m < len(data) {
		if err == nil || err == io.EOF { //nolint:errorlint // ReadRange returns it as it is
			err = failed(spool.ErrTruncated, "the file ends at byte %d", s.at+int64(m))
		}
		return nil, err
	}
	s.at += n
	return data, nil
}

// magic begins files, in which a stream follows.
const magic = "ARROW1\x00\x00"

// scan reads the headers of all messages.
func scan(ctx context.Context, o spool.Object, limit int64) (*contents, error) {
	s := &scanner{ctx: ctx, object: o, end: o.Info().Size, limit: limit}
	if s.end < 8 {
		return nil, corrupt("not an Arrow stream: it has %d bytes", s.end)
	}
	head, err := s.read(8)
	if err != nil {
		return nil, err
	}
	if string(head) != magic {
		s.at = 0
	}
	c := &contents{first: []int{0}}
	for {
		m, err := s.message()
		if err != nil {
			return nil, err
		}
		if m == nil {
			break
		}
		if err := c.add(s, *m); err != nil {
			return nil, err
		}
	}
	if c.columns == nil {
		return nil, corrupt("no schema: not an Arrow stream")
	}
	return c, c.checkSizes()
}

// message is the header of a message, and where its body begins.
type message struct {
	object
	body int64
}

// message reads a header; nil at the end of the stream.
func (s *scanner) message() (*message, error) {
	if s.at == s.end {
		return nil, nil
	}
	head, err := s.read(4)
	if err != nil {
		return nil, err
	}
	const continuation = math.MaxUint32
	size := binary.LittleEndian.Uint32(head)
	if size == continuation {
		if head, err = s.read(4); err != nil {
			return nil, err
		}
		size = binary.LittleEndian.Uint32(head)
	}
	if size == 0 {
		return nil, nil
	}
	if size > math.MaxInt32 {
		return nil, corrupt("no message at byte %d: not an Arrow stream, or damaged", s.at-4)
	}
	data, err := s.read(int64(size))
	if err != nil {
		return nil, err
	}
	return &message{(&flat{data: data}).root(), s.at}, nil
}

// add reads a message and moves on to the next.
func (c *contents) add(s *scanner, m message) error {
	length := m.number(3, 8, 0)
	if length < 0 {
		return corrupt("a message of a negative length at byte %d", m.body)
	}
	if length > s.end-m.body {
		return failed(spool.ErrTruncated, "the file ends within a record batch, at byte %d", s.end)
	}
	s.at = m.body + length
	header, ok := m.object.object(2)
	var err error
	switch kind := m.number(1, 1, 0); {
	case !ok || m.damaged:
	case kind == schemaMessage && c.columns == nil:
		err = c.schema(header)
	case kind == schemaMessage || c.columns == nil:
		return corrupt("the schema is not the first message")
	case kind == recordBatch:
		err = c.batch(header, m.body, length)
	case kind == dictionaries: // cells of its columns are refused
	default:
		return failed(spool.ErrUnsupported, "a message of type %d", kind)
	}
	if m.damaged || !ok {
		return corrupt("the header of a message before byte %d is damaged", m.body)
	}
	return err
}

// schema reads the schema.
func (c *contents) schema(o object) error {
	if o.number(0, 2, 0) != 0 {
		return failed(spool.ErrUnsupported, "big-endian numbers")
	}
	at, n := o.vector(1, 4)
	c.columns = []*field{}
	for i := range n {
		f, err := c.parser.parse(object{o.flat, o.offset(at + 4*i)}, nil, "", 0)
		if err != nil {
			return err
		}
		c.columns = append(c.columns, f)
	}
	c.nulls = make([]int64, c.parser.fields)
	at, n = o.vector(2, 4)
	for i := range n {
		pair := object{o.flat, o.offset(at + 4*i)}
		if err := c.metadata(pair.text(0), pair.text(1)); err != nil {
			return err
		}
	}
	return nil
}

// metadata reads what WriteTable says of the table.
func (c *contents) metadata(key, value string) error {
	var err error
	switch key {
	case classesKey:
		c.ours = true
		if err = json.Unmarshal([]byte(value), &c.classes); err == nil && !slices.IsSorted(c.classes) {
			err = errors.New("not sorted")
		}
	case sizesKey:
		err = json.Unmarshal([]byte(value), &c.sizes)
	case furtherKey:
		err = json.Unmarshal([]byte(value), &c.further)
	}
	if err != nil {
		return corrupt("the metadata %s: %v", key, err)
	}
	return nil
}

// checkSizes compares the sizes of shards with the number of rows.
func (c *contents) checkSizes() error {
	left := c.rows()
	for _, n := range c.sizes {
		if n < 0 || n > left {
			return corrupt("shards of other sizes than the table")
		}
		left -= n
	}
	if c.sizes != nil && left != 0 {
		return corrupt("shards of other sizes than the table")
	}
	return nil
}

// compressions are the names of codecs, by their numbers.
var compressions = map[int64]string{0: "LZ4", 1: "ZSTD"}

// batch reads the header of a record batch.
func (c *contents) batch(o object, body, length int64) error {
	if codec, ok := o.object(3); ok {
		return failed(spool.ErrUnsupported, "record batches are compressed by %s: write the file without compression",
			compressions[codec.number(0, 1, 0)])
	}
	rows := o.number(0, 8, 0)
	nodes, n := o.vector(1, 16)
	at, buffers := o.vector(2, 16)
	switch {
	case o.damaged:
		return nil
	case rows < 0 || rows > math.MaxInt32:
		return corrupt("a record batch of %d rows", rows)
	case n != c.parser.fields || buffers != c.parser.buffers:
		return corrupt("a record batch of %d columns and %d buffers, where the schema has %d and %d", n, buffers,
			c.parser.fields, c.parser.buffers)
	}
	b := batch{rows: int(rows), buffers: make([]span, buffers)}
	for i := range b.buffers {
		x := span{o.long(at + 16*i), o.long(at + 16*i + 8)}
		if x.at < 0 || x.size < 0 || x.size > length || x.at > length-x.size {
			return corrupt("a buffer beyond its record batch at byte %d", body)
		}
		b.buffers[i] = span{body + x.at, x.size}
	}
	for _, f := range c.columns {
		if o.long(nodes+16*f.node) != rows || !b.holds(f) {
			return corrupt("column %s has fewer values than its record batch at byte %d", f.name, body)
		}
	}
	for i := range c.nulls {
		c.nulls[i] += max(0, o.long(nodes+16*i+8))
	}
	if rows > 0 {
		c.batches = append(c.batches, b)
		c.first = append(c.first, c.first[len(c.first)-1]+b.rows)
	}
	return nil
}

// long returns an integer of 8 bytes.
func (b *flat) long(at int) int64 { return int64(binary.LittleEndian.Uint64(b.at(at, 8))) }

// holds reports whether the buffers of a column are large enough for the rows.
func (b *batch) holds(f *field) bool {
	rows, has := int64(b.rows), func(i int) int64 { return b.buffers[f.first+i].size }
	switch {
	case rows == 0 || f.kind == null || f.kind == dictionary:
		return true
	case has(0) > 0 && has(0) < (rows+7)/8:
		return false
	}
	switch f.kind {
	case binaries, utf8, list, mapping:
		return has(1) >= 4*(rows+1)
	case largeBinaries, largeUTF8, largeList:
		return has(1) >= 8*(rows+1)
	case structure, fixedList, decimal, interval:
		return true
	}
	return has(1) >= (rows*int64(f.width)+7)/8
}

// holdsNone reports whether all values of a field are missing.
func (c *contents) holdsNone(f *field) bool { return c.nulls[f.node] >= int64(c.rows()) }

func (c *contents) rows() int { return c.first[len(c.first)-1] }
