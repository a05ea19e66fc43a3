package chunked

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spoolmedia/spool/internal/half"
	"github.com/spoolmedia/spool/source/table"
)

// form is what values of an encoding are.
type form struct {
	kind   table.Type
	format string // see table.Column
	bits   int    // of a number
}

// forms are the encodings of both formats that tables have a form for. LitData's int and float are those of NumPy.
var forms = map[string]form{
	"bytes": {table.Bytes, "z", 0}, "jpeg": {table.Bytes, "z", 0}, "png": {table.Bytes, "z", 0},
	"image": {table.Bytes, "z", 0}, "video": {table.Bytes, "z", 0}, "audio": {table.Bytes, "z", 0},
	"file": {table.Bytes, "z", 0}, "tifffile": {table.Bytes, "z", 0},
	"str": {table.Text, "u", 0}, "text": {table.Text, "u", 0}, "json": {table.JSON, "", 0}, "bool": {table.JSON, "b", 0},
	"str_int": {table.Number, "", 0}, "str_float": {table.Number, "", 0}, "str_decimal": {table.Number, "", 0},
	"int": {table.Number, "l", 64}, "int64": {table.Number, "l", 64}, "int32": {table.Number, "i", 32},
	"int16": {table.Number, "s", 16}, "int8": {table.Number, "c", 8}, "uint64": {table.Number, "L", 64},
	"uint32": {table.Number, "I", 32}, "uint16": {table.Number, "S", 16}, "uint8": {table.Number, "C", 8},
	"float": {table.Number, "g", 64}, "float64": {table.Number, "g", 64}, "float32": {table.Number, "f", 32},
	"float16": {table.Number, "e", 16},
}

// form returns what the values of a column are. ok is false if tables have no form for them.
func (c *column) form() (f form, ok bool) {
	name, _, _ := strings.Cut(c.encoding, ":")
	f, ok = forms[name]
	return f, ok
}

// cell returns a value as a cell.
func (c *column) cell(p []byte) (table.Cell, error) {
	f, ok := c.form()
	if !ok {
		return table.Cell{}, unsupported("column %s has the encoding %.40s", c.name, c.encoding)
	}
	out := table.Cell{Type: f.kind, Data: p}
	switch {
	case f.bits > 0:
		if len(p) != f.bits/8 {
			return table.Cell{}, corrupt("column %s has a number of %d bytes", c.name, len(p))
		}
		out.Data = f.number(p)
	case c.encoding == "bool":
		if len(p) != 1 {
			return table.Cell{}, corrupt("column %s has a truth value of %d bytes", c.name, len(p))
		}
		out.Data = strconv.AppendBool(nil, p[0] == 1)
	case f.kind == table.Text && !utf8.Valid(p):
		return table.Cell{}, corrupt("column %s has text that is not UTF-8", c.name)
	case f.kind == table.JSON && !json.Valid(p), f.kind == table.Number && !isNumber(p):
		return table.Cell{}, corrupt("column %s has a value of another type", c.name)
	}
	return out, nil
}

// isNumber reports whether text is a number.
func isNumber(p []byte) bool {
	_, err := strconv.ParseFloat(string(p), 64)
	return err == nil
}

// number returns a number as text.
func (f form) number(p []byte) []byte {
	var wide [8]byte
	copy(wide[:], p)
	v := binary.LittleEndian.Uint64(wide[:])
	switch f.format {
	case "e":
		return table.AppendNumber(nil, half.Float(uint16(v)), 32)
	case "f":
		return table.AppendNumber(nil, float64(math.Float32frombits(uint32(v))), 32)
	case "g":
		return table.AppendNumber(nil, math.Float64frombits(v), 64)
	case "L", "I", "S", "C":
		return strconv.AppendUint(nil, v, 10)
	}
	unused := 64 - f.bits
	return strconv.AppendInt(nil, int64(v)<<unused>>unused, 10)
}
