package arrow

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/half"
	"github.com/spoolmedia/spool/source/table"
)

// writer writes values as JSON.
type writer struct {
	*file
	batch *batch
	out   []byte
	room  int64 // for out
	plain bool  // a number by itself, which may be NaN
}

// values writes the values of a field from one index to another, separated by commas.
func (w *writer) values(x *field, from, to int64) error {
	if kindNames[x.kind] != "" {
		return failed(spool.ErrUnsupported, "column %s has the type %s", x.name, kindNames[x.kind])
	}
	if from > maxIndex || to > maxIndex {
		return corrupt("column %s has a list beyond its values", x.name)
	}
	if to-from > w.room {
		return failed(spool.ErrTooLarge, "column %s has a list of %d values", x.name, to-from)
	}
	var fixed []byte
	if x.width >= 8 && x.kind != fixedBinary {
		var err error
		size := int64(x.width / 8)
		if fixed, err = w.read(w.batch.buffers[x.first+1], from*size, (to-from)*size); err != nil {
			return err
		}
	}
	for i := from; i < to; i++ {
		if i > from {
			w.out = append(w.out, ',')
		}
		there, err := w.valid(w.batch, x, i)
		switch {
		case err != nil:
			return err
		case !there:
			w.out = append(w.out, "null"...)
		case fixed != nil:
			w.number(x, fixed[(i-from)*int64(x.width/8):])
		default:
			if err := w.value(x, i); err != nil {
				return err
			}
		}
		if int64(len(w.out)) > w.room {
			return failed(spool.ErrTooLarge, "column %s has a value of more than %d bytes", x.name, w.room)
		}
	}
	return nil
}

// value writes one value that is no number.
func (w *writer) value(x *field, i int64) error {
	switch {
	case x.kind == boolean:
		bits, err := w.read(w.batch.buffers[x.first+1], i/8, 1)
		if err == nil {
			w.out = strconv.AppendBool(w.out, bits[0]>>(i%8)&1 == 1)
		}
		return err
	case x.lists():
		from, to, err := w.bounds(w.batch, x, i)
		if err != nil {
			return err
		}
		w.out = append(w.out, '[')
		err = w.values(x.children[0], from, to)
		w.out = append(w.out, ']')
		return err
	case x.kind == structure:
		return w.structure(x, i)
	}
	in, from, to, err := w.place(w.batch, x, i)
	if err != nil {
		return err
	}
	data, err := w.read(in, from, to-from)
	if err != nil {
		return err
	}
	if x.cellType() == table.Bytes {
		w.out = append(base64.StdEncoding.AppendEncode(append(w.out, '"'), data), '"')
		return nil
	}
	text, err := json.Marshal(string(data))
	w.out = append(w.out, text...)
	return err
}

// structure writes an object.
func (w *writer) structure(x *field, i int64) error {
	w.out = append(w.out, '{')
	for k, child := range x.children {
		if k > 0 {
			w.out = append(w.out, ',')
		}
		name, err := json.Marshal(child.own)
		if err != nil {
			return err
		}
		w.out = append(append(w.out, name...), ':')
		if err := w.values(child, i, i+1); err != nil {
			return err
		}
	}
	w.out = append(w.out, '}')
	return nil
}

// number writes a number.
func (w *writer) number(x *field, p []byte) {
	if x.kind == float {
		v, bits := floatOf(x, p)
		if !w.plain && (math.IsNaN(v) || math.IsInf(v, 0)) {
			w.out = append(w.out, "null"...)
			return
		}
		w.out = table.AppendNumber(w.out, v, bits)
		return
	}
	v := integerOf(x, p)
	if x.unsigned {
		w.out = strconv.AppendUint(w.out, uint64(v), 10)
		return
	}
	w.out = strconv.AppendInt(w.out, v, 10)
}

// integerOf returns an integer. Unsigned ones of 64 bits have the same bits.
func integerOf(x *field, p []byte) int64 {
	switch {
	case x.width == 8 && x.unsigned:
		return int64(p[0])
	case x.width == 8:
		return int64(int8(p[0]))
	case x.width == 16 && x.unsigned:
		return int64(binary.LittleEndian.Uint16(p))
	case x.width == 16:
		return int64(int16(binary.LittleEndian.Uint16(p)))
	case x.width == 32 && x.unsigned:
		return int64(binary.LittleEndian.Uint32(p))
	case x.width == 32:
		return int64(int32(binary.LittleEndian.Uint32(p)))
	}
	return int64(binary.LittleEndian.Uint64(p))
}

// floatOf returns a floating-point number, and its precision in bits.
func floatOf(x *field, p []byte) (v float64, bits int) {
	switch x.width {
	case 16:
		return half.Float(binary.LittleEndian.Uint16(p)), 32
	case 32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(p))), 32
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(p)), 64
}
