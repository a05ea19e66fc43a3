package parquet

import (
	"fmt"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool/source/table"
)

// arrowFormat returns the type of a schema element's values in the form of Arrow's C data interface, as Arrow reads
// them; empty for types that it has no numbers for.
// See https://arrow.apache.org/docs/format/CDataInterface.html#data-type-description-format-strings.
func arrowFormat(e *format.SchemaElement, l *leaf) string {
	switch l.meaning {
	case isText, isJSON, isUUID:
		return "u"
	case isHalf:
		return "e"
	case isDecimal:
		return decimalFormat(e)
	}
	switch l.kind {
	case format.Boolean:
		return "b"
	case format.Int32, format.Int64:
		return integerFormat(e, l)
	case format.Int96:
		return "tsn:"
	case format.Float:
		return "f"
	case format.Double:
		return "g"
	case format.FixedLenByteArray:
		return fmt.Sprintf("w:%d", l.size)
	}
	return "z"
}

// decimalFormat returns that of decimals of up to 38 digits.
func decimalFormat(e *format.SchemaElement) string {
	const most = 38
	precision, scale := e.Precision.V, e.Scale.V
	if t, ok := e.LogicalType.Value.(*format.DecimalType); ok {
		precision, scale = t.Precision, t.Scale
	}
	if precision < 1 || precision > most || scale < 0 || scale > precision {
		return ""
	}
	return fmt.Sprintf("d:%d,%d", precision, scale)
}

// integerFormat returns that of integers, dates and times.
func integerFormat(e *format.SchemaElement, l *leaf) string {
	long := l.kind == format.Int64
	switch t := e.LogicalType.Value.(type) {
	case *format.IntType:
		return integers[t.IsSigned][bytesOf(t.BitWidth, long)]
	case *format.DateType:
		if !long {
			return "tdD"
		}
	case *format.TimeType:
		if unit := unitOf(t.Unit); long == (unit != "m") {
			return "tt" + unit
		}
	case *format.TimestampType:
		if zone := map[bool]string{true: "UTC"}[t.IsAdjustedToUTC]; long {
			return "ts" + unitOf(t.Unit) + ":" + zone
		}
	case nil:
		if f, ok := older[e.ConvertedType.V]; ok && e.ConvertedType.Valid && f.long == long {
			return f.format
		}
	}
	return integers[l.meaning != isUnsigned][bytesOf(64, long)]
}

// bytesOf returns the bytes of a number, at most those that are stored.
func bytesOf(bits int8, long bool) int {
	if !long {
		return min(int(bits)/8, 4)
	}
	return int(bits) / 8
}

// integers are the formats of integers, signed or not, by their bytes.
var integers = map[bool]map[int]string{true: {1: "c", 2: "s", 4: "i", 8: "l"}, false: {1: "C", 2: "S", 4: "I", 8: "L"}}

// unitOf returns the letter of a unit of time.
func unitOf(u format.TimeUnit) string {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return "m"
	case *format.NanoSeconds:
		return "n"
	}
	return "u"
}

// older are the formats of types in the form of older files, which have times in UTC only.
var older = map[deprecated.ConvertedType]struct {
	long   bool
	format string
}{
	deprecated.Int8: {false, "c"}, deprecated.Int16: {false, "s"}, deprecated.Uint8: {false, "C"},
	deprecated.Uint16: {false, "S"}, deprecated.Date: {false, "tdD"}, deprecated.TimeMillis: {false, "ttm"},
	deprecated.TimeMicros: {true, "ttu"}, deprecated.TimestampMillis: {true, "tsm:UTC"},
	deprecated.TimestampMicros: {true, "tsu:UTC"},
}

// element returns the format of the elements of a list of numbers, text or truth values; empty for other columns.
func (n *node) element() string {
	lists := 0
	for ; ; n = n.children[0] {
		if n.repeated {
			lists++
		}
		switch {
		case n.leaf == nil && n.shell:
			continue
		case n.leaf == nil || lists != 1 || n.leaf.meaning == isJSON || n.leaf.cellType() == table.Bytes:
			return ""
		}
		return n.leaf.format
	}
}
