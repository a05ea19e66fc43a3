package predicate

import (
	"bytes"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/spoolmedia/spool/source/table"
)

// matchOf returns a comparison of text with a constant by an operator of the language, or nil if there is none.
func matchOf(operator, constant string) func(text []byte) bool {
	switch operator {
	case "==":
		return func(text []byte) bool { return string(text) == constant }
	case "!=":
		return func(text []byte) bool { return string(text) != constant }
	case "<":
		return func(text []byte) bool { return string(text) < constant }
	case "<=":
		return func(text []byte) bool { return string(text) <= constant }
	case ">":
		return func(text []byte) bool { return string(text) > constant }
	case ">=":
		return func(text []byte) bool { return string(text) >= constant }
	case "startsWith":
		return func(text []byte) bool { return bytes.HasPrefix(text, []byte(constant)) }
	case "endsWith":
		return func(text []byte) bool { return bytes.HasSuffix(text, []byte(constant)) }
	case "contains":
		return func(text []byte) bool { return bytes.Contains(text, []byte(constant)) }
	}
	return nil
}

// texts calls do for all rows of a run of a column of text. It returns false if they have to be read as cells.
func (r *run) texts(c *column, do func(i int, text []byte, there bool)) bool {
	cells, ok := r.cells.(table.Worded)
	return ok && c.kind == table.Words && cells.Texts(r.ctx, c.written, r.from, r.rows(), do)
}

// over evaluates a comparison of one column of text, once for each text that comes often. A text with which it fails
// needs the rows one by one: an operator before it may leave its row out.
func (c *comparison) over(r *run) (t truths, ok bool) {
	if len(c.columns) != 1 {
		return t, false
	}
	e := evaluation{comparison: c, known: c.outcomes.known(), fresh: map[string]truth{},
		row: row{ctx: r.ctx, cells: r.cells, values: map[string]any{}, run: r}}
	ok = r.texts(c.columns[0], func(i int, text []byte, there bool) {
		x := e.of(text, there)
		t.yes[i/64] |= bit(x == yes) << (i % 64)
		t.no[i/64] |= bit(x == no) << (i % 64)
	})
	if !ok || e.err != nil {
		return truths{}, false
	}
	c.outcomes.add(e.fresh)
	return t, true
}

// evaluation is a comparison with the texts of a run.
type evaluation struct {
	*comparison
	known, fresh map[string]truth // of texts of earlier runs, and of this one
	row          row
	err          error // the first one
}

// mostRemembered is the most bytes of a text whose outcome is kept.
const mostRemembered = 256

func (e *evaluation) of(text []byte, there bool) truth {
	switch {
	case e.err != nil || !there && len(e.needed) > 0:
		return unknown
	case !there:
		return e.value(nil)
	case e.match != nil:
		return truthOf(e.match(text))
	}
	if x, known := e.known[string(text)]; known {
		return x
	}
	if x, known := e.fresh[string(text)]; known {
		return x
	}
	value := string(text)
	x := e.value(value)
	if len(e.known) < mostOutcomes && len(text) <= mostRemembered {
		e.fresh[value] = x
	}
	return x
}

// value evaluates the comparison with a value of its column.
func (e *evaluation) value(value any) (x truth) {
	e.row.values[e.columns[0].name] = value
	x, e.err = e.comparison.of(&e.row)
	return x
}

// outcomes are the values of a comparison for some texts. They are safe for concurrent use.
type outcomes struct {
	mu  sync.Mutex
	all atomic.Pointer[map[string]truth] // never changed: a larger map replaces it
}

// mostOutcomes is the number of texts above which no more are added.
const mostOutcomes = 4096

// known returns the outcomes so far.
func (o *outcomes) known() map[string]truth {
	if all := o.all.Load(); all != nil {
		return *all
	}
	return nil
}

// add adds outcomes.
func (o *outcomes) add(fresh map[string]truth) {
	if len(fresh) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	all := map[string]truth{}
	maps.Copy(all, o.known())
	if len(all) < mostOutcomes {
		maps.Copy(all, fresh)
		o.all.Store(&all)
	}
}
