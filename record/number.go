package record

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"

	"github.com/spoolmedia/spool"
)

// parse writes the numbers of a text or of an NPY file to dst. bad makes the error of one that has others than the
// field's.
func (k Number) parse(dst, data []byte, bad func(format string, args ...any) error) error {
	if bytes.HasPrefix(data, []byte("\x93NUMPY")) {
		return k.array(dst, data, bad)
	}
	n, _ := k.Shape.Elems()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	read := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return bad("is no number: %v", err)
		}
		switch x := token.(type) {
		case json.Delim:
			if x != '[' && x != ']' {
				return bad("is an object, and not %d numbers", n)
			}
		case json.Number:
			if read < n {
				if err := k.set(dst, read, x.String()); err != nil {
					return bad("%s: %v", x, err)
				}
			}
			read++
		default:
			return bad("%v is no number", token)
		}
	}
	if read != n {
		return bad("%d numbers, and the field has %d", read, n)
	}
	return nil
}

var errRange = errors.New("does not fit the type")

// set writes number i.
func (k Number) set(dst []byte, i int, text string) error {
	if k.DType == spool.Float32 || k.DType == spool.Float64 {
		v, err := strconv.ParseFloat(text, 8*k.DType.Size())
		if err != nil {
			return errRange
		}
		k.put(dst, i, v)
		return nil
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil { // 3.0 and 1e3 are integers, too
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return errRange
		}
		v = int64(f)
	}
	if k.DType == spool.Uint8 {
		if v < 0 || v > math.MaxUint8 {
			return errRange
		}
		dst[i] = uint8(v)
		return nil
	}
	binary.NativeEndian.PutUint64(dst[8*i:], uint64(v))
	return nil
}

// put writes number i from a value that fits the type.
func (k Number) put(dst []byte, i int, v float64) {
	switch k.DType {
	case spool.Float32:
		binary.NativeEndian.PutUint32(dst[4*i:], math.Float32bits(float32(v)))
	case spool.Float64:
		binary.NativeEndian.PutUint64(dst[8*i:], math.Float64bits(v))
	case spool.Int64:
		binary.NativeEndian.PutUint64(dst[8*i:], uint64(int64(v)))
	default:
		dst[i] = uint8(v)
	}
}
