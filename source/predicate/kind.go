package predicate

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/types"

	"github.com/spoolmedia/spool/source/table"
)

// exprType returns the type of a column in the language.
func exprType(k table.ColumnKind) types.Type {
	switch k {
	case table.Whole:
		return types.Int
	case table.Floating:
		return types.Float64
	case table.Words:
		return types.String
	case table.Truth:
		return types.Bool
	case table.Binary:
		return types.TypeOf([]byte(nil))
	}
	return types.Any
}

// valueOf returns a value of a column of a kind; nil if it is missing.
func valueOf(c table.Cell, k table.ColumnKind) any {
	if c.Type == table.Absent {
		return nil
	}
	switch k {
	case table.Whole:
		n, _ := strconv.Atoi(string(c.Data)) // it is one
		return n
	case table.Floating:
		return float(c.Data)
	case table.Words:
		return string(c.Data)
	case table.Truth:
		return string(c.Data) == "true"
	case table.Binary:
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
