package predicate

import "github.com/spoolmedia/spool/source/table"

// truth is the value of a condition: true, false, or unknown where a value is missing.
type truth uint8

const (
	unknown truth = iota
	no
	yes
)

// truthOf returns yes or no.
func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// condition is a part of a predicate, bound to the columns of a table.
type condition interface {
	of(r *row) (truth, error)
	// over returns its values in all rows of a run. ok is false if these need rows one by one.
	over(r *run) (t truths, ok bool)
}

// truths are the values of a condition in the rows of a run, as a bit for each. A row without a bit is unknown.
type truths struct{ yes, no bitmap }

// bitmap has a bit for each row of a run.
type bitmap [table.RunRows / 64]uint64

// and returns the bits that both have.
func (a bitmap) and(b *bitmap) bitmap {
	for i := range a {
		a[i] &= b[i]
	}
	return a
}

// or returns the bits that one has.
func (a bitmap) or(b *bitmap) bitmap {
	for i := range a {
		a[i] |= b[i]
	}
	return a
}

// copyTo sets the bits of rows from a row on, in a set of all rows.
func (a *bitmap) copyTo(rows []uint64, from int) {
	shift := from % 64
	for i, word := range a {
		if word == 0 {
			continue
		}
		at := from/64 + i
		rows[at] |= word << shift
		if rest := word >> (64 - shift); rest != 0 { // none without a shift
			rows[at+1] |= rest
		}
	}
}

// both returns the values of two conditions.
func both(left, right condition, r *run) (a, b truths, ok bool) {
	if a, ok = left.over(r); !ok {
		return a, b, false
	}
	b, ok = right.over(r)
	return a, b, ok
}

// and is true if both are, and false if one is.
type and struct{ left, right condition }

func (c and) of(r *row) (truth, error) {
	left, err := c.left.of(r)
	if err != nil || left == no {
		return left, err
	}
	right, err := c.right.of(r)
	if right == yes {
		return left, err
	}
	return right, err
}

func (c and) over(r *run) (truths, bool) {
	a, b, ok := both(c.left, c.right, r)
	return truths{yes: a.yes.and(&b.yes), no: a.no.or(&b.no)}, ok
}

// or is true if one is, and false if both are.
type or struct{ left, right condition }

func (c or) of(r *row) (truth, error) {
	left, err := c.left.of(r)
	if err != nil || left == yes {
		return left, err
	}
	right, err := c.right.of(r)
	if right == no {
		return left, err
	}
	return right, err
}

func (c or) over(r *run) (truths, bool) {
	a, b, ok := both(c.left, c.right, r)
	return truths{yes: a.yes.or(&b.yes), no: a.no.and(&b.no)}, ok
}

// not is true if its condition is false.
type not struct{ condition }

func (c not) of(r *row) (truth, error) {
	t, err := c.condition.of(r)
	switch t {
	case yes:
		return no, err
	case no:
		return yes, err
	}
	return unknown, err
}

func (c not) over(r *run) (truths, bool) {
	t, ok := c.condition.over(r)
	return truths{yes: t.no, no: t.yes}, ok
}

// missing is true if a column has no value.
type missing struct{ column *column }

func (c missing) of(r *row) (truth, error) {
	value, err := r.value(c.column)
	return truthOf(value == nil), err
}

func (c missing) over(r *run) (t truths, ok bool) {
	set := func(i int, there bool) {
		t.no[i/64] |= bit(there) << (i % 64)
		t.yes[i/64] |= bit(!there) << (i % 64)
	}
	if n := r.numbers(c.column); n != nil {
		for i, there := range n.there[:r.rows()] {
			set(i, there)
		}
		return t, true
	}
	ok = r.texts(c.column, func(i int, _ []byte, there bool) { set(i, there) })
	return t, ok
}
