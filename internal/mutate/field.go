package mutate

import (
	"bytes"
	"math/rand/v2"
)

// layout lists the widths in bytes of the fields at the beginning of an element. A star repeats the last field to the
// end. Blanks have no meaning.
type layout string

// number is a field of an element.
type number struct{ at, width int }

// fields returns the fields that size bytes have.
func (l layout) fields(size int) (list []number) {
	at, width := 0, 0
	for i := 0; i < len(l); i++ {
		switch {
		case l[i] == ' ':
			continue
		case l[i] == '*':
			i-- // until the end
		default:
			width = int(l[i] - '0')
		}
		if width == 0 || at+width > size || len(list) == mostElements {
			break
		}
		list = append(list, number{at, width})
		at += width
	}
	return list
}

// field changes a number in an element. Where the format is not known, it is at a multiple of its width.
func field(r *rand.Rand, t *tree) bool {
	e := pick(r, t.root)
	if e == nil {
		return false
	}
	of, how := &e.body, t.layouts[e.name]
	if len(e.head) > 0 && r.IntN(2) == 0 {
		of, how = &e.head, t.heads
	}
	if len(*of) == 0 {
		return false
	}
	all := how.fields(len(*of))
	var n number
	if len(all) > 0 && r.IntN(8) > 0 {
		n = all[r.IntN(len(all))]
		if r.IntN(2) == 0 { // a table has many entries, and few fields in front of them
			n = all[r.IntN(min(len(all), 12))]
		}
	} else {
		n.width = min(1<<r.IntN(3), len(*of))
		n.at = r.IntN(min(len(*of)-n.width, 64)+1) / n.width * n.width
	}
	*of = bytes.Clone(*of)
	return t.change(r, (*of)[n.at:][:n.width])
}

// change gives a number of one to eight bytes another value.
func (c *container) change(r *rand.Rand, b []byte) bool {
	var wide [8]byte
	place := wide[8-len(b):] // as a number of 64 bits
	if c.little {
		place = wide[:len(b)]
	}
	copy(place, b)
	before := c.order().Uint64(wide[:])
	bits := 8 * len(b)
	c.order().PutUint64(wide[:], edge(r, before, bits))
	if bytes.Equal(b, place) {
		return false
	}
	copy(b, place)
	return true
}

// edge returns a limit of a number's range, or a value near the one that it has.
func edge(r *rand.Rand, before uint64, bits int) uint64 {
	largest := ^uint64(0) >> (64 - bits)
	sign := largest>>1 + 1
	switch r.IntN(14) {
	case 0:
		return 0
	case 1:
		return 1
	case 2:
		return largest
	case 3:
		return largest - 1
	case 4:
		return sign
	case 5:
		return sign - 1
	case 6:
		return before ^ sign
	case 7:
		return before + 1
	case 8:
		return before - 1
	case 9:
		return before * 2
	case 10:
		return before / 2
	case 11:
		return before ^ 1<<r.IntN(bits)
	case 12:
		return uint64(r.IntN(17))
	}
	return r.Uint64()
}
