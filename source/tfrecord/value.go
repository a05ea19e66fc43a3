package tfrecord

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/spoolmedia/spool/source/table"
)

// list is the values of a feature, in memory.
type list struct {
	kind   kind
	binary [][]byte
	floats []float32
	ints   []int64
}

// length returns the number of values.
func (l *list) length() int { return len(l.binary) + len(l.floats) + len(l.ints) }

// parse reads the message of a list. Numbers may be packed or not.
func parse(kind kind, p []byte) (*list, error) {
	l := &list{kind: kind}
	for len(p) > 0 {
		tag, n := binary.Uvarint(p)
		if n <= 0 {
			return nil, corrupt("a feature that is no list")
		}
		p = p[n:]
		var value []byte
		switch wire := int(tag & 7); wire {
		case bytesType:
			size, n := binary.Uvarint(p)
			if n <= 0 || size > uint64(len(p)-n) {
				return nil, corrupt("a value beyond its feature")
			}
			value, p = p[n:n+int(size)], p[n+int(size):]
		case shortType, varintType:
			size := 4
			if wire == varintType {
				_, size = binary.Uvarint(p)
			}
			if size <= 0 || size > len(p) {
				return nil, corrupt("a value beyond its feature")
			}
			value, p = p[:size], p[size:]
		default:
			return nil, corrupt("a feature that is no list")
		}
		if tag>>3 == 1 {
			if err := l.add(value); err != nil {
				return nil, err
			}
		}
	}
	return l, nil
}

// add adds a value of bytes, or numbers.
func (l *list) add(p []byte) error {
	switch l.kind {
	case bytesKind:
		l.binary = append(l.binary, p)
	case floatKind:
		for ; len(p) >= 4; p = p[4:] {
			l.floats = append(l.floats, math.Float32frombits(binary.LittleEndian.Uint32(p)))
		}
	case intKind:
		for len(p) > 0 {
			v, n := binary.Uvarint(p)
			if n <= 0 {
				return corrupt("a number beyond its feature")
			}
			l.ints, p = append(l.ints, int64(v)), p[n:]
			continue
		}
		return nil
	}
	if l.kind == floatKind && len(p) > 0 {
		return corrupt("a number beyond its feature")
	}
	return nil
}

// cell returns the values in the type of their column.
func (l *list) cell(column table.Type) table.Cell {
	switch n := l.length(); {
	case n == 0 && column != table.JSON:
		return table.Cell{}
	case n != 1 || column == table.JSON:
		return table.Cell{Type: table.JSON, Data: l.json()}
	case l.kind == bytesKind && column == table.Text && utf8.Valid(l.binary[0]):
		return table.Cell{Type: table.Text, Data: l.binary[0]}
	case l.kind == bytesKind:
		return table.Cell{Type: table.Bytes, Data: l.binary[0]}
	}
	return table.Cell{Type: table.Number, Data: l.number(nil, 0, true)}
}

// number appends a number. Within JSON, those that are not finite are null.
func (l *list) number(out []byte, i int, plain bool) []byte {
	if l.kind == intKind {
		return strconv.AppendInt(out, l.ints[i], 10)
	}
	v := float64(l.floats[i])
	if !plain && (math.IsNaN(v) || math.IsInf(v, 0)) {
		return append(out, "null"...)
	}
	return table.AppendNumber(out, v, 32)
}

// json returns an array of all values.
func (l *list) json() []byte {
	out := []byte{'['}
	for i := range l.length() {
		if i > 0 {
			out = append(out, ',')
		}
		switch {
		case l.kind != bytesKind:
			out = l.number(out, i, false)
		case isText(l.binary[i]):
			text, _ := json.Marshal(string(l.binary[i])) // UTF-8 always is possible
			out = append(out, text...)
		default:
			out = append(base64.StdEncoding.AppendEncode(append(out, '"'), l.binary[i]), '"')
		}
	}
	return append(out, ']')
}

// isText reports whether bytes are text.
func isText(p []byte) bool { return !slices.Contains(p, 0) && utf8.Valid(p) }
