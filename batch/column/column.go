package column

import (
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool/internal/half"
)

// Field is the name and the type of a column.
type Field struct {
	Name string
	// Format is the type in the form of Arrow's C data interface:
	//
	//	u                 text
	//	z, w:N            bytes, N bytes
	//	b                 truth values
	//	c s i l, C S I L  integers of 1 to 8 bytes, and those without a sign
	//	e f g             floating-point numbers of 2 to 8 bytes
	//	d:P,S             decimals
	//	td tt ts          dates and times, as integers
	//	+w:N, +l          lists of N elements, and of any length
	Format string
	// Element is the type of the elements of a list; empty for other types.
	Element string
}

// Column is the values of a field, one for each slot of a batch.
type Column struct {
	Field
	Len   int
	Nulls int
	// Valid has a bit for each value, the lowest first: 0 for a missing one. It is nil if none is missing.
	Valid []byte
	// Offsets are where the values begin in Data, and the end: of text and bytes. Those of lists are in Elements.
	Offsets []int32
	// Data has the values one after the other, in the machine's byte order; truth values are bits.
	Data []byte
	// Elements are the elements of lists; nil for other types.
	Elements *Column
}

// isValid reports whether value i is there.
func (c *Column) isValid(i int) bool { return c.Valid == nil || c.Valid[i/8]>>(i%8)&1 == 1 }

// Value returns value i: nil for a missing one, string, []byte, bool, int64, uint64, float32, float64, the text of a
// decimal, or a list of numbers. Half-precision numbers are float32. Dates and times are the integers that are stored.
func (c *Column) Value(i int) any {
	if !c.isValid(i) {
		return nil
	}
	switch c.Format[0] {
	case 'u':
		return string(c.Data[c.Offsets[i]:c.Offsets[i+1]])
	case 'z':
		return slices.Clone(c.Data[c.Offsets[i]:c.Offsets[i+1]])
	case 'b':
		return c.Data[i/8]>>(i%8)&1 == 1
	case '+':
		n := length(c.Format)
		from, to := i*n, (i+1)*n
		if c.Offsets != nil {
			from, to = int(c.Offsets[i]), int(c.Offsets[i+1])
		}
		list := make([]any, 0, to-from)
		for k := from; k < to; k++ {
			list = append(list, c.Elements.Value(k))
		}
		return list
	case 'w':
		n := length(c.Format)
		return slices.Clone(c.Data[i*n : (i+1)*n])
	case 'd':
		return decimalText(c.Data[16*i:16*(i+1)], scaleOf(c.Format))
	}
	return number(c.Format, c.Data, i)
}

// number returns number i of data.
func number(format string, data []byte, i int) any {
	n := sizeOf(format)
	data = data[n*i : n*(i+1)]
	var bits uint64
	switch n {
	case 1:
		bits = uint64(data[0])
	case 2:
		bits = uint64(binary.NativeEndian.Uint16(data))
	case 4:
		bits = uint64(binary.NativeEndian.Uint32(data))
	default:
		bits = binary.NativeEndian.Uint64(data)
	}
	switch format[0] {
	case 'e':
		return float32(half.Float(uint16(bits)))
	case 'f':
		return math.Float32frombits(uint32(bits))
	case 'g':
		return math.Float64frombits(bits)
	case 'C', 'S', 'I', 'L':
		return bits
	}
	shift := 64 - 8*n
	return int64(bits) << shift >> shift
}

// sizeOf returns the bytes of a value; 0 if they vary, or are bits.
func sizeOf(format string) int {
	switch format[0] {
	case 'c', 'C':
		return 1
	case 's', 'S', 'e':
		return 2
	case 'i', 'I', 'f':
		return 4
	case 'l', 'L', 'g':
		return 8
	case 'd':
		return 16
	case 'w':
		return length(format)
	case 't':
		if strings.HasPrefix(format, "tdD") || strings.HasPrefix(format, "tts") || strings.HasPrefix(format, "ttm") {
			return 4
		}
		return 8
	}
	return 0
}

// length returns the number after the colon of a format.
func length(format string) int {
	_, text, _ := strings.Cut(format, ":")
	n, _ := strconv.Atoi(text)
	return n
}

// scaleOf returns the decimal places of "d:P,S".
func scaleOf(format string) int {
	_, text, _ := strings.Cut(format, ",")
	n, _ := strconv.Atoi(text)
	return n
}

// decimalText returns a decimal of 128 bits, the lowest byte first.
func decimalText(data []byte, scale int) string {
	x := new(big.Int)
	for _, b := range slices.Backward(data) {
		x.Lsh(x, 8).Or(x, big.NewInt(int64(b)))
	}
	if data[15]&0x80 != 0 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), 128))
	}
	return new(big.Rat).SetFrac(x, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).FloatString(scale)
}
