package parquet

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool"
)

// values are the entries of a page: spans of data, or integers (truth values and the bits of floating-point numbers
// are integers, too), without missing ones. The next page reuses the slices.
type values struct {
	data  []byte
	spans []span
	ints  []int64

	place   []int32 // of each entry: the index of its value, -1 if that is missing; empty: its own
	levels  []uint8 // of definition, of each entry; empty: that of a value, or one less if it is missing
	repeats []uint8 // levels of repetition; empty: 0
	numbers []uint32
}

// span is the position of a value. Pages have less than 2 GiB.
type span struct{ from, to uint32 }

func (v *values) add(from, to int) { v.spans = append(v.spans, span{uint32(from), uint32(to)}) }

// index returns the index of an entry's value, or -1.
func (v *values) index(entry int) int {
	if len(v.place) == 0 {
		return entry
	}
	return int(v.place[entry])
}

// level returns the level of definition of an entry.
func (v *values) level(l *leaf, entry int) int {
	switch {
	case len(v.levels) > 0:
		return int(v.levels[entry])
	case v.index(entry) < 0:
		return l.levels - 1
	}
	return l.levels
}

// memory returns the bytes that the values take.
func (v *values) memory() int64 {
	return int64(len(v.data) + 8*len(v.spans) + 8*len(v.ints) + 4*len(v.place) + len(v.levels) + len(v.repeats))
}

func (s span) of(data []byte) []byte { return data[s.from:s.to:s.to] }

// reset removes all values.
func (v *values) reset() {
	v.data, v.spans, v.ints = nil, v.spans[:0], v.ints[:0]
	v.place, v.levels, v.repeats = v.place[:0], v.levels[:0], v.repeats[:0]
}

// decode decodes the values of a page. dictionary is that of its chunk, or nil.
func (v *values) decode(l *leaf, p page, data []byte, dictionary *values, limit int64) error {
	n := p.values
	v.reset()
	if !p.dictionary && l.levels > 0 {
		var err error
		if data, n, err = v.missing(l, p, data); err != nil {
			return err
		}
	} else if p.v2 {
		data = data[p.plain:]
	}
	array := l.kind == format.ByteArray
	switch encoding := p.encoding; {
	case n == 0:
		return nil
	case p.dictionary || encoding == format.Plain:
		return v.plainly(l, data, n)
	case inDictionary(encoding):
		return v.lookUp(l, data, n, dictionary)
	case encoding == format.DeltaBinaryPacked && (l.kind == format.Int32 || l.kind == format.Int64):
		return v.deltas(l, data, n)
	case encoding == format.DeltaLengthByteArray && array:
		return v.lengths(data, n)
	case encoding == format.DeltaByteArray && (array || l.kind == format.FixedLenByteArray):
		return v.prefixes(l, data, n, limit)
	case encoding == format.ByteStreamSplit && l.size > 0:
		return v.split(l, data, n)
	case encoding == format.RLE && l.kind == format.Boolean:
		return v.flags(data, n)
	default:
		return failed(spool.ErrUnsupported, "column %s is encoded as %v", l.name, encoding)
	}
}

// inDictionary reports whether values are indices of a dictionary, in the current or the deprecated encoding.
func inDictionary(e format.Encoding) bool {
	return e == format.RLEDictionary || e == format.PlainDictionary //nolint:staticcheck // old files have it
}

// missing reads the levels. It returns the data after them and the number of values.
func (v *values) missing(l *leaf, p page, data []byte) (rest []byte, n int, err error) {
	var repeats, levels []byte
	if p.v2 {
		repeats, levels, rest = data[:p.skipped], data[p.skipped:p.plain], data[p.plain:]
	} else {
		if p.levelEncoding != format.RLE {
			return nil, 0, failed(spool.ErrUnsupported, "column %s has levels encoded as %v", l.name, p.levelEncoding)
		}
		rest = data
		if l.repeats > 0 {
			if repeats, rest, err = prefixed(rest); err != nil {
				return nil, 0, err
			}
		}
		if levels, rest, err = prefixed(rest); err != nil {
			return nil, 0, err
		}
	}
	if l.repeats > 0 {
		if v.repeats, err = v.small(v.repeats, repeats, l.repeats, p.values); err != nil {
			return nil, 0, err
		}
	}
	if v.levels, err = v.small(v.levels, levels, l.levels, p.values); err != nil {
		return nil, 0, err
	}
	for _, level := range v.levels {
		if int(level) == l.levels {
			n++
		}
	}
	if n < p.values {
		v.place = slices.Grow(v.place, p.values)
		next := int32(0)
		for _, level := range v.levels {
			if int(level) < l.levels {
				v.place = append(v.place, -1)
				continue
			}
			v.place = append(v.place, next)
			next++
		}
	}
	if l.levels == 1 || n == p.values {
		v.levels = v.levels[:0]
	}
	return rest, n, nil
}

// prefixed returns the part of data whose length comes first, and the rest.
func prefixed(data []byte) (part, rest []byte, err error) {
	if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
		return nil, nil, corrupt("levels that extend beyond their page")
	}
	end := 4 + int(binary.LittleEndian.Uint32(data))
	return data[4:end], data[end:], nil
}

// small appends n levels, of which the highest is most.
func (v *values) small(to []uint8, data []byte, most, n int) (_ []uint8, err error) {
	if v.numbers, err = runs(v.numbers[:0], data, bits.Len(uint(most)), n); err != nil {
		return nil, err
	}
	to = slices.Grow(to, n)
	for _, level := range v.numbers {
		if level > uint32(most) {
			return nil, corrupt("a level of %d, where the highest is %d", level, most)
		}
		to = append(to, uint8(level))
	}
	return to, nil
}

// plainly reads values that are stored as they are.
func (v *values) plainly(l *leaf, data []byte, n int) error {
	least := l.size // bytes of a value
	switch l.kind {
	case format.ByteArray:
		least = 4
	case format.Boolean:
		return v.truths(data, n)
	}
	if least > 0 && n > len(data)/least {
		return corrupt("%d values in %d bytes", n, len(data))
	}
	switch l.kind {
	case format.Int32, format.Float:
		for i := range n {
			v.ints = append(v.ints, int64(int32(binary.LittleEndian.Uint32(data[4*i:]))))
		}
	case format.Int64, format.Double:
		for i := range n {
			v.ints = append(v.ints, int64(binary.LittleEndian.Uint64(data[8*i:])))
		}
	case format.ByteArray:
		v.data = data
		v.spans = slices.Grow(v.spans, n)
		for at := 0; len(v.spans) < n; {
			if len(data)-at < 4 || uint64(binary.LittleEndian.Uint32(data[at:])) > uint64(len(data)-at-4) {
				return corrupt("a value that extends beyond its page")
			}
			end := at + 4 + int(binary.LittleEndian.Uint32(data[at:]))
			v.add(at+4, end)
			at = end
		}
	default:
		v.data = data
		v.spans = slices.Grow(v.spans, n)
		for i := range n {
			v.add(i*l.size, (i+1)*l.size)
		}
	}
	return nil
}

// truths reads truth values, a bit each.
func (v *values) truths(data []byte, n int) error {
	if n > 8*len(data) {
		return corrupt("%d values in %d bytes", n, len(data))
	}
	for i := range n {
		v.ints = append(v.ints, int64(bitsAt(data, i, 1)))
	}
	return nil
}

// flags reads truth values in runs.
func (v *values) flags(data []byte, n int) (err error) {
	if data, _, err = prefixed(data); err != nil {
		return err
	}
	if v.numbers, err = runs(v.numbers[:0], data, 1, n); err != nil {
		return err
	}
	for _, x := range v.numbers {
		v.ints = append(v.ints, int64(x&1))
	}
	return nil
}

// split reads values whose first bytes come first, then all second ones, and so on.
func (v *values) split(l *leaf, data []byte, n int) error {
	if n > len(data)/l.size {
		return corrupt("%d values in %d bytes", n, len(data))
	}
	whole := make([]byte, n*l.size)
	for i := range n {
		for k := range l.size {
			whole[i*l.size+k] = data[k*n+i]
		}
	}
	return v.plainly(l, whole, n)
}

// lookUp reads values by their indices in the dictionary.
func (v *values) lookUp(l *leaf, data []byte, n int, dictionary *values) (err error) {
	if dictionary == nil || len(data) == 0 {
		return corrupt("a page of column %s without its dictionary", l.name)
	}
	if v.numbers, err = runs(v.numbers[:0], data[1:], int(data[0]), n); err != nil {
		return err
	}
	v.data = dictionary.data
	if l.spans() {
		v.spans = slices.Grow(v.spans, n)
	}
	for _, k := range v.numbers {
		switch {
		case int(k) < len(dictionary.spans):
			v.spans = append(v.spans, dictionary.spans[k])
		case int(k) < len(dictionary.ints):
			v.ints = append(v.ints, dictionary.ints[k])
		default:
			return corrupt("value %d of a dictionary that has fewer", k)
		}
	}
	return nil
}
