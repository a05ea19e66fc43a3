package parquet

import (
	"encoding/json"
	"math"

	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// assembly writes a row's structure or list as JSON, from the entries of the leaves below it. The levels of entries
// tell which part of it is missing, and which list goes on: see "Dremel: Interactive Analysis of Web-Scale Datasets".
type assembly struct {
	cursors []cursor // of each leaf
	out     []byte
	room    int64 // for out
	err     error
}

// cursor is the entries of a leaf that are not written yet.
type cursor []entries

// left returns the cursor without runs that have ended.
func (c cursor) left() cursor {
	for len(c) > 0 && c[0].from >= c[0].to {
		c = c[1:]
	}
	return c
}

// peek returns the levels of a leaf's next entry, which are -1 at the end.
func (a *assembly) peek(l *leaf) (level, repeat int) {
	c := a.cursors[l.index].left()
	if len(c) == 0 {
		return -1, -1
	}
	if len(c[0].repeats) > 0 {
		repeat = int(c[0].repeats[c[0].from])
	}
	return c[0].level(l, c[0].from), repeat
}

// next returns the page and entry of a leaf, and moves on. ok is false after the last entry.
func (a *assembly) next(l *leaf) (r entries, ok bool) {
	c := a.cursors[l.index].left()
	if len(c) == 0 {
		if a.err == nil {
			a.err = corrupt("column %s has fewer values than its row", l.name)
		}
		return entries{}, false
	}
	r = c[0]
	c[0].from++
	a.cursors[l.index] = c
	return r, true
}

// skip moves on in all leaves below a node whose value is missing.
func (a *assembly) skip(n *node) {
	for _, l := range n.leaves(nil) {
		a.next(l)
	}
}

// value writes a node that may be missing, or repeated.
func (a *assembly) value(n *node) {
	level, _ := a.peek(n.first)
	there := level >= n.levels
	switch {
	case a.err != nil:
	case n.repeated && !there:
		a.write("[]")
		a.skip(n)
	case n.repeated:
		a.write("[")
		for more := true; more && a.err == nil; {
			a.content(n)
			if _, repeat := a.peek(n.first); repeat < n.repeats {
				more = false
			} else if repeat > n.repeats {
				a.err = corrupt("a list within a list that has ended")
			} else {
				a.write(",")
			}
		}
		a.write("]")
	case !there:
		a.write("null")
		a.skip(n)
	default:
		a.content(n)
	}
}

// content writes a node that is there.
func (a *assembly) content(n *node) {
	switch {
	case a.err != nil:
	case n.leaf != nil:
		if r, ok := a.next(n.leaf); ok {
			a.leaf(n.leaf, r)
		}
	case n.shell:
		a.value(n.children[0])
	default:
		for i, child := range n.children {
			if i == 0 {
				a.write("{")
			} else {
				a.write(",")
			}
			a.json(child.name)
			a.write(":")
			a.value(child)
		}
		a.write("}")
	}
}

// leaf writes an entry. Numbers that JSON does not have are null.
func (a *assembly) leaf(l *leaf, r entries) {
	i := r.index(r.from)
	if i < 0 {
		a.write("null")
		return
	}
	switch cell := l.cellType(); {
	case cell == table.Number || l.kind == format.Boolean:
		before := len(a.out)
		a.out = l.appendNumber(a.out, &r.values, i)
		if !l.finite(&r.values, i) {
			a.out = append(a.out[:before], "null"...)
		}
		a.write("")
	case cell == table.Bytes:
		a.json(r.spans[i].of(r.data))
	case l.meaning == isUUID:
		a.json(string(appendUUID(nil, r.spans[i].of(r.data))))
	case l.meaning == isJSON && json.Valid(r.spans[i].of(r.data)):
		a.write(string(r.spans[i].of(r.data)))
	default:
		a.json(string(r.spans[i].of(r.data)))
	}
}

// finite reports whether a number is one in JSON.
func (l *leaf) finite(v *values, i int) bool {
	x := 0.0
	switch {
	case l.kind == format.Float:
		x = float64(math.Float32frombits(uint32(v.ints[i])))
	case l.kind == format.Double:
		x = math.Float64frombits(uint64(v.ints[i]))
	case l.meaning == isHalf:
		x = halfOf(v, i)
	}
	return !math.IsNaN(x) && !math.IsInf(x, 0)
}

// json writes a string, or bytes in base64.
func (a *assembly) json(v any) {
	data, err := json.Marshal(v)
	if err != nil && a.err == nil {
		a.err = err
	}
	a.write(string(data))
}

func (a *assembly) write(s string) {
	if int64(len(a.out)+len(s)) > a.room && a.err == nil {
		a.err = failed(spool.ErrTooLarge, "a value of more than %d bytes as JSON, the limit", a.room)
	}
	if a.err == nil {
		a.out = append(a.out, s...)
	}
}
