package arrow

import "encoding/binary"

// output is a column of the batch so far.
type output struct {
	name     string
	kind     kind
	fill     func(c *output, i int)
	children []*output // of a structure
	valid    []byte    // a bit for each row
	nulls    int
	rows     int
	ends     []byte // of text and binary: an offset for each row and one more
	data     []byte // text and binary, numbers of 8 bytes, or a bit for each row
}

// mark begins a value, which is there or not.
func (c *output) mark(there bool) {
	if c.rows%8 == 0 {
		c.valid = append(c.valid, 0)
	}
	if there {
		c.valid[c.rows/8] |= 1 << (c.rows % 8)
	} else {
		c.nulls++
	}
	c.rows++
}

func (c *output) string(s string) {
	c.mark(s != "")
	c.data = append(c.data, s...)
	c.ended()
}

func (c *output) bytes(p []byte, there bool) {
	c.mark(there)
	c.data = append(c.data, p...)
	c.ended()
}

// ended notes the end of a value of text or binary.
func (c *output) ended() {
	if len(c.ends) == 0 {
		c.ends = append(c.ends, 0, 0, 0, 0)
	}
	c.ends = binary.LittleEndian.AppendUint32(c.ends, uint32(len(c.data)))
}

func (c *output) number(bits uint64, there bool) {
	c.mark(there)
	c.data = binary.LittleEndian.AppendUint64(c.data, bits)
}

func (c *output) bit(v, there bool) {
	if c.rows%8 == 0 {
		c.data = append(c.data, 0)
	}
	if v {
		c.data[c.rows/8] |= 1 << (c.rows % 8)
	}
	c.mark(there)
}

// empty begins the next batch.
func (c *output) empty() {
	c.valid, c.ends, c.data, c.rows, c.nulls = c.valid[:0], c.ends[:0], c.data[:0], 0, 0
	for _, child := range c.children {
		child.empty()
	}
}
