package table

import (
	"math"
	"strconv"
	"strings"
)

// AppendNumber appends a floating-point number of 32 or 64 bits in the shortest decimal form that parses to the same
// value. Finite numbers are numbers in JSON, too.
func AppendNumber(to []byte, x float64, bits int) []byte {
	switch {
	case math.IsNaN(x):
		return append(to, "NaN"...)
	case math.IsInf(x, 1):
		return append(to, "Infinity"...)
	case math.IsInf(x, -1):
		return append(to, "-Infinity"...)
	}
	form := byte('f')
	if size := math.Abs(x); size != 0 && (size < 1e-6 || size >= 1e21) { // as JavaScript and encoding/json do
		form = 'e'
	}
	return strconv.AppendFloat(to, x, form, -1, bits)
}

// shortest returns a JSON number in its shortest form. Integers stay as they are written, whatever their size.
func shortest(number string) []byte {
	x, err := strconv.ParseFloat(number, 64)
	if err != nil || !strings.ContainsAny(number, ".eE") {
		return []byte(number)
	}
	return AppendNumber(nil, x, 64)
}
