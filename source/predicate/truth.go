package predicate

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

// missing is true if a column has no value.
type missing struct{ column *column }

func (c missing) of(r *row) (truth, error) {
	value, err := r.value(c.column)
	return truthOf(value == nil), err
}
