package mutate

import (
	"bytes"
	"math/rand/v2"
	"slices"
)

// edit is one change of a tree. It reports whether it was possible.
type edit func(r *rand.Rand, t *tree) bool

// tree is a file under change.
type tree struct {
	*container
	root  *element
	files [][]byte
}

// common are the edits of all containers. Fields come more often: a decoder trusts them most.
func common() []edit {
	return []edit{drop, double, swap, shorten, grow, empty, damage, damage, field, field, field, field, trade, borrow,
		insertForeign, graft}
}

// pick returns a random element. Half of the picks draw its name first, as a file may have one header and hundreds of
// frames.
func pick(r *rand.Rand, root *element) *element {
	all := root.all()
	if len(all) == 0 {
		return nil
	}
	e := all[r.IntN(len(all))]
	if r.IntN(2) == 0 {
		return e
	}
	var names []string
	for _, e := range all {
		if !slices.Contains(names, e.name) {
			names = append(names, e.name)
		}
	}
	return pickNamed(r, all, names[r.IntN(len(names))])
}

// pickNamed returns one of the elements with a name, or nil.
func pickNamed(r *rand.Rand, all []*element, name string) *element {
	var same []*element
	for _, e := range all {
		if e.name == name {
			same = append(same, e)
		}
	}
	if len(same) == 0 {
		return nil
	}
	return same[r.IntN(len(same))]
}

// place returns a random element's parent, and its index there.
func (t *tree) place(r *rand.Rand) (parent *element, i int) {
	e := pick(r, t.root)
	if e == nil {
		return nil, 0
	}
	for _, parent := range append(t.root.all(), t.root) {
		if i := slices.Index(parent.parts, e); i >= 0 {
			return parent, i
		}
	}
	return nil, 0
}

// other returns an element of this file, or of another one of the same format. It has the given name if there is such
// an element.
func (t *tree) other(r *rand.Rand, name string) *element {
	root := t.root
	if file := t.files[r.IntN(len(t.files))]; r.IntN(2) == 0 && t.is(file) {
		root = t.read(file)
	}
	if r.IntN(4) > 0 {
		if e := pickNamed(r, root.all(), name); e != nil {
			return e
		}
	}
	return pick(r, root)
}

func drop(r *rand.Rand, t *tree) bool {
	parent, i := t.place(r)
	if parent == nil {
		return false
	}
	parent.parts = slices.Delete(slices.Clone(parent.parts), i, i+1)
	return true
}

// double repeats an element, behind itself or elsewhere among its siblings.
func double(r *rand.Rand, t *tree) bool {
	parent, i := t.place(r)
	if parent == nil {
		return false
	}
	to := i + 1
	if r.IntN(2) == 0 {
		to = r.IntN(len(parent.parts) + 1)
	}
	parent.parts = slices.Insert(slices.Clone(parent.parts), to, parent.parts[i].clone())
	return true
}

func swap(r *rand.Rand, t *tree) bool {
	parent, i := t.place(r)
	if parent == nil || len(parent.parts) < 2 {
		return false
	}
	j := r.IntN(len(parent.parts))
	parent.parts[i], parent.parts[j] = parent.parts[j], parent.parts[i]
	return i != j
}

// shorten ends an element early. Its lengths are right again.
func shorten(r *rand.Rand, t *tree) bool {
	e := pick(r, t.root)
	switch {
	case e == nil || len(e.body)+len(e.parts) == 0:
		return false
	case len(e.parts) > 0:
		e.parts = e.parts[:r.IntN(len(e.parts))]
	default:
		e.body = e.body[:r.IntN(len(e.body))]
	}
	return true
}

// grow adds bytes to an element: noise, or some that it has.
func grow(r *rand.Rand, t *tree) bool {
	e := pick(r, t.root)
	if e == nil {
		return false
	}
	more := noise(r, 1+r.IntN(16))
	if len(e.body) > 0 && r.IntN(2) == 0 {
		first, last := randomRange(r, e.body)
		more = e.body[first:last]
	}
	at := len(e.body)
	if r.IntN(2) == 0 {
		at = r.IntN(at + 1)
	}
	e.body = slices.Concat(e.body[:at], more, e.body[at:])
	return true
}

func empty(r *rand.Rand, t *tree) bool {
	e := pick(r, t.root)
	if e == nil || len(e.body)+len(e.parts) == 0 {
		return false
	}
	e.body, e.parts = nil, nil
	return true
}

// damage changes bytes of an element blindly.
func damage(r *rand.Rand, t *tree) bool {
	e := pick(r, t.root)
	if e == nil || len(e.body) == 0 {
		return false
	}
	e.body = mutations[r.IntN(len(mutations))](r, bytes.Clone(e.body), [][]byte{e.body})
	return true
}

// trade exchanges the contents of two elements, mostly of one name: two tables, two frames.
func trade(r *rand.Rand, t *tree) bool {
	a := pick(r, t.root)
	if a == nil {
		return false
	}
	all := t.root.all()
	b := all[r.IntN(len(all))]
	if r.IntN(4) > 0 {
		b = pickNamed(r, all, a.name)
	}
	if bytes.Equal(a.body, b.body) {
		return false
	}
	a.body, b.body = b.body, a.body
	return true
}

// borrow replaces the content of an element by that of another one, often of another file.
func borrow(r *rand.Rand, t *tree) bool {
	e := pick(r, t.root)
	if e == nil {
		return false
	}
	from := t.other(r, e.name)
	if from == nil || bytes.Equal(from.body, e.body) {
		return false
	}
	e.body, e.parts = from.body, from.clone().parts
	return true
}

// insertForeign inserts an element that no decoder knows.
func insertForeign(r *rand.Rand, t *tree) bool {
	e := t.foreign
	e.body = noise(r, r.IntN(64))
	parent, i := t.place(r)
	if parent == nil {
		parent = t.root
	}
	parent.parts = slices.Insert(slices.Clone(parent.parts), i, &e)
	return true
}

// graft inserts an element of this file or of another one.
func graft(r *rand.Rand, t *tree) bool {
	parent, i := t.place(r)
	if parent == nil {
		return false
	}
	e := t.other(r, parent.parts[i].name)
	if e == nil {
		return false
	}
	parent.parts = slices.Insert(slices.Clone(parent.parts), i, e.clone())
	return true
}

func noise(r *rand.Rand, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}
