package parquet

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/big"
	"strconv"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool/internal/half"
	"github.com/spoolmedia/spool/source/table"
)

// meaning is what the values of a leaf represent, besides their physical type.
type meaning uint8

const (
	isPlain meaning = iota // numbers, truth values or bytes
	isText
	isJSON
	isUnsigned
	isDecimal
	isHalf // a floating-point number of 16 bits
	isUUID
)

// newLeaf returns the leaf of a schema element, without its place in the schema.
func newLeaf(e *format.SchemaElement) *leaf {
	l := &leaf{kind: e.Type.V}
	switch l.kind {
	case format.Int32, format.Float:
		l.size = 4
	case format.Int64, format.Double:
		l.size = 8
	case format.Int96:
		l.size = 12
	case format.FixedLenByteArray:
		l.size = max(0, int(e.TypeLength.V))
	}
	switch t := e.LogicalType.Value.(type) {
	case *format.StringType, *format.EnumType:
		l.meaning = isText
	case *format.JsonType:
		l.meaning = isJSON
	case *format.IntType:
		if !t.IsSigned {
			l.meaning = isUnsigned
		}
	case *format.DecimalType:
		l.meaning, l.scale = isDecimal, int(t.Scale)
	case *format.Float16Type:
		l.meaning = isHalf
	case *format.UUIDType:
		l.meaning = isUUID
	case nil:
		l.converted(e)
	}
	if !l.allows() {
		l.meaning = isPlain
	}
	l.format = arrowFormat(e, l)
	return l
}

// allows reports whether values of the leaf's type can have its meaning.
func (l *leaf) allows() bool {
	fixed := l.kind == format.FixedLenByteArray
	switch l.meaning {
	case isText, isJSON:
		return l.kind == format.ByteArray
	case isUnsigned:
		return l.kind == format.Int32 || l.kind == format.Int64
	case isDecimal:
		const most = 256 // bytes: the time to write a number out grows with the square of its size
		return l.kind == format.Int32 || l.kind == format.Int64 || fixed && l.size <= most
	case isHalf:
		return fixed && l.size == 2
	case isUUID:
		return fixed && l.size == 16
	}
	return true
}

// converted reads the type in the form of older files.
func (l *leaf) converted(e *format.SchemaElement) {
	if !e.ConvertedType.Valid {
		return
	}
	switch e.ConvertedType.V {
	case deprecated.UTF8, deprecated.Enum:
		l.meaning = isText
	case deprecated.Json:
		l.meaning = isJSON
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		l.meaning = isUnsigned
	case deprecated.Decimal:
		l.meaning, l.scale = isDecimal, int(e.Scale.V)
	}
}

// spans reports whether the values are bytes, and not integers or their bits.
func (l *leaf) spans() bool {
	return l.kind == format.ByteArray || l.kind == format.FixedLenByteArray || l.kind == format.Int96
}

// cellType returns the type of the values as cells.
func (l *leaf) cellType() table.Type {
	switch {
	case l.meaning == isText || l.meaning == isUUID:
		return table.Text
	case l.meaning == isJSON || l.kind == format.Boolean:
		return table.JSON
	case l.meaning == isDecimal || l.meaning == isHalf || l.kind == format.Int96 || !l.spans():
		return table.Number
	}
	return table.Bytes
}

// cell returns value i of a page as a cell.
func (l *leaf) cell(v *values, i int) table.Cell {
	c := table.Cell{Type: l.cellType()}
	switch {
	case c.Type == table.Number || l.kind == format.Boolean:
		c.Data = l.appendNumber(nil, v, i)
	case l.meaning == isUUID:
		c.Data = appendUUID(nil, v.spans[i].of(v.data))
	default:
		c.Data = v.spans[i].of(v.data)
		if l.meaning == isJSON && !json.Valid(c.Data) {
			c.Type = table.Text
		}
	}
	return c
}

// appendNumber appends a number, or a truth value, as JSON has it. Dates and times are the integers that are stored,
// but those of 96 bits are nanoseconds since 1970.
func (l *leaf) appendNumber(to []byte, v *values, i int) []byte {
	switch {
	case l.meaning == isDecimal && l.spans():
		return appendDecimal(to, signed(v.spans[i].of(v.data)), l.scale)
	case l.meaning == isDecimal:
		return appendDecimal(to, big.NewInt(v.ints[i]), l.scale)
	case l.meaning == isHalf:
		return table.AppendNumber(to, halfOf(v, i), 32)
	case l.kind == format.Int96:
		const dayOf1970, day = 2440588, 24 * 3600 * 1_000_000_000
		data := v.spans[i].of(v.data)
		days := int64(binary.LittleEndian.Uint32(data[8:])) - dayOf1970
		t := new(big.Int).Mul(big.NewInt(days), big.NewInt(day))
		return t.Add(t, big.NewInt(int64(binary.LittleEndian.Uint64(data)))).Append(to, 10)
	case l.kind == format.Boolean:
		return strconv.AppendBool(to, v.ints[i] != 0)
	case l.kind == format.Float:
		return table.AppendNumber(to, float64(math.Float32frombits(uint32(v.ints[i]))), 32)
	case l.kind == format.Double:
		return table.AppendNumber(to, math.Float64frombits(uint64(v.ints[i])), 64)
	case l.meaning == isUnsigned && l.kind == format.Int32:
		return strconv.AppendUint(to, uint64(uint32(v.ints[i])), 10)
	case l.meaning == isUnsigned:
		return strconv.AppendUint(to, uint64(v.ints[i]), 10)
	}
	return strconv.AppendInt(to, v.ints[i], 10)
}

// halfOf returns the value of a floating-point number of 16 bits.
func halfOf(v *values, i int) float64 {
	return half.Float(binary.LittleEndian.Uint16(v.spans[i].of(v.data)))
}

// signed returns the value of a big-endian integer in two's complement.
func signed(data []byte) *big.Int {
	x := new(big.Int).SetBytes(data)
	if len(data) > 0 && data[0]&0x80 != 0 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(data))))
	}
	return x
}

// maxScale is the most decimal places that are written out.
const maxScale = 1 << 10

// appendDecimal appends an integer divided by a power of ten.
func appendDecimal(to []byte, x *big.Int, scale int) []byte {
	if scale <= 0 || scale > maxScale {
		return x.Append(to, 10)
	}
	if x.Sign() < 0 {
		to = append(to, '-')
	}
	digits := new(big.Int).Abs(x).Append(nil, 10)
	for len(digits) <= scale {
		digits = append([]byte{'0'}, digits...)
	}
	to = append(to, digits[:len(digits)-scale]...)
	if places := bytes.TrimRight(digits[len(digits)-scale:], "0"); len(places) > 0 {
		to = append(append(to, '.'), places...)
	}
	return to
}

func appendUUID(to, data []byte) []byte {
	for i, n := range []int{4, 2, 2, 2, 6} {
		if i > 0 {
			to = append(to, '-')
		}
		to = hex.AppendEncode(to, data[:n])
		data = data[n:]
	}
	return to
}
