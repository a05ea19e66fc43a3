package parquet

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool"
)

func (v *values) deltas(l *leaf, data []byte, n int) error {
	_, err := v.unpack(data, n)
	if l.kind == format.Int32 {
		for i, x := range v.ints {
			v.ints[i] = int64(int32(x)) // sums wrap around
		}
	}
	return err
}

// lengths reads the lengths of all values, and then the values.
func (v *values) lengths(data []byte, n int) (err error) {
	if v.data, err = v.unpack(data, n); err != nil {
		return err
	}
	at := 0
	for _, size := range v.ints {
		if size < 0 || size > int64(len(v.data)-at) {
			return corrupt("a value that extends beyond its page")
		}
		v.add(at, at+int(size))
		at += int(size)
	}
	v.ints = v.ints[:0]
	return nil
}

// prefixes reads how many bytes each value shares with the previous one, and then the rest of each like lengths.
func (v *values) prefixes(l *leaf, data []byte, n int, limit int64) error {
	data, err := v.unpack(data, n)
	if err != nil {
		return err
	}
	shared := append([]int64(nil), v.ints...)
	v.ints = v.ints[:0]
	if err := v.lengths(data, n); err != nil {
		return err
	}
	var out, before []byte
	for i, s := range v.spans {
		if shared[i] < 0 || shared[i] > int64(len(before)) {
			return corrupt("a value that shares more bytes than the previous one has")
		}
		from, rest := len(out), s.of(v.data)
		if l.size > 0 && shared[i]+int64(len(rest)) != int64(l.size) {
			return corrupt("a value of %d bytes in a column of %d", shared[i]+int64(len(rest)), l.size)
		}
		if int64(from)+shared[i]+int64(len(rest)) > min(limit, math.MaxInt32) {
			return failed(spool.ErrTooLarge, "a page of more than %d bytes, the limit", min(limit, math.MaxInt32))
		}
		out = append(append(out, before[:shared[i]]...), rest...)
		before = out[from:]
		v.spans[i] = span{uint32(from), uint32(len(out))}
	}
	v.data = out
	return nil
}

// unpack appends n integers in DELTA_BINARY_PACKED to ints: a first value, and blocks of differences. A block has a
// least difference and several miniblocks, each with its bit width. unpack returns the data after them.
func (v *values) unpack(data []byte, n int) (rest []byte, err error) {
	bad := corrupt("an invalid page of differences")
	ok := true
	number := func() uint64 {
		x, used := binary.Uvarint(data)
		if ok = ok && used > 0; !ok {
			return 0
		}
		data = data[used:]
		return x
	}
	block, minis, total := number(), number(), number()
	signed := func() int64 { x := number(); return int64(x>>1) ^ -int64(x&1) }
	value := signed()
	const maxBlock = 1 << 20
	if !ok || total != uint64(n) || block == 0 || block > maxBlock || minis == 0 || minis > block || block%minis != 0 ||
		block/minis%8 != 0 {
		return nil, bad
	}
	each := int(block / minis)
	if n > 0 {
		v.ints = append(v.ints, value)
	}
	for left := n - 1; left > 0; {
		least := signed()
		if !ok || uint64(len(data)) < minis {
			return nil, bad
		}
		widths := data[:minis]
		data = data[minis:]
		for _, w := range widths {
			if left == 0 {
				break
			}
			width, size := int(w), each/8*int(w)
			if width > 64 || size > len(data) {
				return nil, bad
			}
			for i := range min(each, left) {
				value += least + int64(bitsAt(data, i*width, width))
				v.ints = append(v.ints, value)
			}
			left -= min(each, left)
			data = data[size:]
		}
	}
	return data, nil
}

// runs appends n numbers of width bits. They are in the hybrid of runs and bit-packed groups of eight that levels and
// dictionary indices have.
func runs(to []uint32, data []byte, width, n int) ([]uint32, error) {
	if width > 32 {
		return nil, corrupt("numbers of %d bits", width)
	}
	to = slices.Grow(to, n)
	for left := n; left > 0; {
		head, used := binary.Uvarint(data)
		if used <= 0 {
			return nil, corrupt("%d numbers of %d", n-left, n)
		}
		data = data[used:]
		count := int(min(head>>1, uint64(n)))
		if head&1 == 0 {
			if len(data) < (width+7)/8 || count == 0 {
				return nil, corrupt("an invalid run of %d numbers", count)
			}
			value := uint32(bitsAt(data, 0, (width+7)/8*8))
			count = min(count, left)
			to = to[:len(to)+count]
			for i := range to[len(to)-count:] {
				to[len(to)-count+i] = value
			}
			data = data[(width+7)/8:]
			left -= count
			continue
		}
		count = min(8*count, left, len(data)*8/max(1, width)) // the last group may be cut off after the last number
		if count == 0 {
			return nil, corrupt("an invalid group of numbers")
		}
		for i := range count {
			to = append(to, uint32(bitsAt(data, i*width, width)))
		}
		data = data[min(len(data), (count*width+7)/8):]
		left -= count
	}
	return to, nil
}

// bitsAt returns a number of up to 64 bits, the lowest bit first.
func bitsAt(data []byte, at, width int) (x uint64) {
	for got := 0; got < width; {
		shift := (at + got) & 7
		take := min(8-shift, width-got)
		x |= uint64(data[(at+got)>>3]>>shift&(1<<take-1)) << got
		got += take
	}
	return x
}
