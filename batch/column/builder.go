package column

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
)

// Builder makes a column of values that are text, as tables and the fields of records have them.
type Builder struct {
	c        Column
	size     int      // bytes of a value; 0 if they vary, or are bits
	elements *Builder // of lists
}

// NewBuilder returns a builder of a column with room for n values. The error is ErrUnsupported for a type that is not
// built from text.
func NewBuilder(f Field, n int) (*Builder, error) {
	b := &Builder{c: Column{Field: f}}
	if f.Format != "" {
		b.size = sizeOf(f.Format)
	}
	switch {
	case b.size > 0:
		b.c.Data = make([]byte, 0, n*b.size)
	case f.Format == "u" || f.Format == "z":
		b.c.Offsets = append(make([]int32, 0, n+1), 0)
	case f.Format == "+l" && f.Element != "" && f.Element[0] != '+':
		b.c.Offsets = append(make([]int32, 0, n+1), 0)
		var err error
		b.elements, err = NewBuilder(Field{Name: "item", Format: f.Element}, n)
		return b, err
	case f.Format != "b":
		return nil, &spool.Error{Op: "batch", Class: spool.ErrUnsupported,
			Text: fmt.Sprintf("column %s has the type %q", f.Name, f.Format)}
	}
	return b, nil
}

// Null adds a missing value.
func (b *Builder) Null() {
	i := b.c.Len
	if b.c.Valid == nil {
		b.c.Valid = make([]byte, i/8+1)
		for k := range i {
			b.c.Valid[k/8] |= 1 << (k % 8)
		}
	}
	b.c.Nulls++
	b.begin(false)
	if b.size > 0 {
		b.c.Data = append(b.c.Data, make([]byte, b.size)...)
	}
	b.end()
}

// Append adds a value. Text that is not UTF-8 gets U+FFFD in place of each wrong part. The error is ErrCorrupt for text
// that is no value of the type, and ErrTooLarge for more than 2 GiB. After an error the builder must not be used.
func (b *Builder) Append(text []byte) error {
	if len(text) > math.MaxInt32-len(b.c.Data) {
		return b.failed(spool.ErrTooLarge, "more than 2 GiB in a batch")
	}
	if b.elements != nil {
		return b.list(text)
	}
	value, err := b.value(text)
	if err != nil {
		return err
	}
	b.begin(true)
	if b.c.Format == "b" {
		if value[0] != 0 {
			b.c.Data[b.c.Len/8] |= 1 << (b.c.Len % 8)
		}
	} else {
		b.c.Data = append(b.c.Data, value...)
	}
	b.end()
	return nil
}

// begin makes room for the bits of a value.
func (b *Builder) begin(valid bool) {
	i := b.c.Len
	if b.c.Format == "b" && i%8 == 0 {
		b.c.Data = append(b.c.Data, 0)
	}
	if b.c.Valid == nil {
		return
	}
	if i/8 == len(b.c.Valid) {
		b.c.Valid = append(b.c.Valid, 0)
	}
	if valid {
		b.c.Valid[i/8] |= 1 << (i % 8)
	}
}

func (b *Builder) end() {
	b.c.Len++
	switch {
	case b.elements != nil:
		b.c.Offsets = append(b.c.Offsets, int32(b.elements.c.Len))
	case b.c.Offsets != nil:
		b.c.Offsets = append(b.c.Offsets, int32(len(b.c.Data)))
	}
}

// Column returns the column. The builder must not be used afterwards.
func (b *Builder) Column() Column {
	if b.elements != nil {
		elements := b.elements.Column()
		b.c.Elements = &elements
	}
	return b.c
}

// list adds a list in JSON.
func (b *Builder) list(text []byte) error {
	var values []json.RawMessage
	if err := json.Unmarshal(text, &values); err != nil {
		return b.failed(spool.ErrCorrupt, "%.40q is no list: %v", text, err)
	}
	for _, v := range values {
		switch {
		case string(v) == "null":
			b.elements.Null()
			continue
		case v[0] == '"':
			var s string
			if err := json.Unmarshal(v, &s); err != nil {
				return b.failed(spool.ErrCorrupt, "%v", err)
			}
			v = []byte(s)
		}
		if err := b.elements.Append(v); err != nil {
			return b.failed(spool.ErrCorrupt, "an element: %v", err)
		}
	}
	b.begin(true)
	b.end()
	return nil
}

// value returns the bytes of a value.
func (b *Builder) value(text []byte) ([]byte, error) {
	format := b.c.Format
	switch format[0] {
	case 'u':
		return []byte(strings.ToValidUTF8(string(text), "\uFFFD")), nil
	case 'z':
		return text, nil
	case 'b':
		if x, err := strconv.ParseBool(string(text)); err == nil {
			return []byte{map[bool]byte{true: 1}[x]}, nil
		}
	case 'w':
		if len(text) == b.size {
			return text, nil
		}
	case 'd':
		if x, ok := new(big.Rat).SetString(string(text)); ok {
			if value, ok := decimal(x, scaleOf(format)); ok {
				return value, nil
			}
		}
	case 'e', 'f', 'g':
		if x, err := strconv.ParseFloat(string(text), 64); err == nil || math.IsInf(x, 0) {
			return word(floatBits(x, b.size), b.size), nil
		}
	case 'C', 'S', 'I', 'L':
		if n, err := strconv.ParseUint(string(text), 10, 8*b.size); err == nil {
			return word(n, b.size), nil
		}
	default:
		if n, err := strconv.ParseInt(string(text), 10, 8*b.size); err == nil {
			return word(uint64(n), b.size), nil
		}
	}
	return nil, b.failed(spool.ErrCorrupt, "%.40q is no value of the type %s", text, format)
}

func (b *Builder) failed(class spool.Class, format string, args ...any) error {
	return &spool.Error{Op: "batch", Class: class, Text: "column " + b.c.Name + ": " + fmt.Sprintf(format, args...)}
}
