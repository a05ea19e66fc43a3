package predicate

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/types"

	"github.com/spoolmedia/spool/source/table"
)

// kind is the type of a column's values.
type kind uint8

const (
	none kind = iota // no row has a value
	whole
	number
	text
	truthValue
	binary
	anything // lists, structures, or values of several types
)

func (k kind) String() string {
	return [...]string{"a column without values", "whole numbers", "numbers", "text", "truth values", "bytes",
		"values of any type"}[k]
}

func (k kind) exprType() types.Type {
	switch k {
	case whole:
		return types.Int
	case number:
		return types.Float64
	case text:
		return types.String
	case truthValue:
		return types.Bool
	case binary:
		return types.TypeOf([]byte(nil))
	}
	return types.Any
}

// kindOfFormat returns the kind of a column with a type: see table.Column. It is none if only values tell.
func kindOfFormat(format string) kind {
	switch {
	case format == "":
		return none
	case strings.Contains("cCsSiIl", format), format[0] == 't':
		return whole
	case strings.Contains("efg", format), format[0] == 'd':
		return number
	case format == "u":
		return text
	case format == "b":
		return truthValue
	case format[0] == 'z' || format[0] == 'w':
		return binary
	}
	return none
}

// kindOf returns the kind of a value. Text that is a number in JSON is one if values are untyped.
func kindOf(c table.Cell, untyped bool) kind {
	switch c.Type {
	case table.Absent:
		return none
	case table.Text:
		if !untyped || !isNumber(c.Data) {
			return text
		}
		fallthrough
	case table.Number:
		if _, err := strconv.Atoi(string(c.Data)); err == nil {
			return whole
		}
		return number
	case table.Bytes:
		return binary
	}
	if s := string(c.Data); s == "true" || s == "false" {
		return truthValue
	}
	return anything
}

// isNumber reports whether text is a number in JSON.
func isNumber(data []byte) bool {
	return len(data) > 0 && (data[0] == '-' || '0' <= data[0] && data[0] <= '9') && json.Valid(data)
}

// join returns the kind of a column with values of both kinds. In an untyped one, text may be anything.
func (k kind) join(other kind, untyped bool) kind {
	low, high := min(k, other), max(k, other)
	switch {
	case low == high || low == none:
		return high
	case low == whole && high == number:
		return number
	case untyped:
		return text
	}
	return anything
}

// valueOf returns a value of a column of this kind; nil if it is missing.
func (k kind) valueOf(c table.Cell) any {
	if c.Type == table.Absent {
		return nil
	}
	switch k {
	case whole:
		n, _ := strconv.Atoi(string(c.Data)) // kindOf has read it
		return n
	case number:
		return float(c.Data)
	case text:
		return string(c.Data)
	case truthValue:
		return string(c.Data) == "true"
	case binary:
		return c.Data
	}
	return Value(c)
}

// Value returns a value of a column without a type: nil, int, float64, string, bool, []byte, []any or map[string]any.
func Value(c table.Cell) any {
	switch c.Type {
	case table.Absent:
		return nil
	case table.Number:
		if n, err := strconv.Atoi(string(c.Data)); err == nil {
			return n
		}
		return float(c.Data)
	case table.Bytes:
		return c.Data
	case table.JSON:
		var value any
		if json.Unmarshal(c.Data, &value) == nil {
			return value
		}
	}
	return string(c.Data)
}

// float reads a number of a table. One that is too large is infinite.
func float(data []byte) float64 {
	x, err := strconv.ParseFloat(strings.TrimSpace(string(data)), 64)
	if err != nil && !math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}
