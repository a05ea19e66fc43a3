package arrow

import (
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// kind is a type of values, by its number in Schema.fbs.
type kind uint8

const (
	null          kind = 1
	integer       kind = 2
	float         kind = 3
	binaries      kind = 4
	utf8          kind = 5
	boolean       kind = 6
	decimal       kind = 7
	date          kind = 8
	clock         kind = 9
	timestamp     kind = 10
	interval      kind = 11
	list          kind = 12
	structure     kind = 13
	fixedBinary   kind = 15
	fixedList     kind = 16
	mapping       kind = 17
	duration      kind = 18
	largeBinaries kind = 19
	largeUTF8     kind = 20
	largeList     kind = 21
	dictionary    kind = 100 // of ours: indices of values that are elsewhere
	maxDepth           = 32
	maxFields          = 1 << 14
	maxElements        = 1 << 29 // of a fixed-size list
	maxIndex           = 1 << 33 // of a value in a batch
)

// kindNames are the types that are not read, for messages.
var kindNames = map[kind]string{decimal: "decimal", interval: "interval", dictionary: "dictionary", 14: "union",
	22: "run_end_encoded", 23: "binary_view", 24: "string_view", 25: "list_view", 26: "large_list_view"}

// field is a column, or a part of one.
type field struct {
	name     string // with the names of structures around it, in lower case
	own      string // its own, as it is written
	kind     kind
	width    int  // bits of a fixed-size value
	unsigned bool // of integers
	elements int  // of a fixed-size list
	format   string
	within   *field // the structure around it
	children []*field
	first    int // of its buffers, within those of a batch
	node     int
}

// parser reads the fields of a schema.
type parser struct {
	fields, buffers int // so far
}

// parse reads a field, whose structures are around it.
func (p *parser) parse(o object, within *field, prefix string, depth int) (*field, error) {
	own := o.text(0)
	f := &field{name: prefix + strings.ToLower(own), own: own, kind: kind(o.number(2, 1, 0)), within: within,
		first: p.buffers, node: p.fields}
	if p.fields++; p.fields > maxFields || depth > maxDepth {
		return nil, corrupt("a schema of more than %d columns, or %d levels", maxFields, maxDepth)
	}
	inner, ok := o.object(3)
	if !ok {
		return nil, corrupt("column %s has no type", f.name)
	}
	if _, indexed := o.object(4); indexed {
		f.kind = dictionary
		p.buffers += 2
		return f, nil
	}
	f.describe(inner)
	switch f.kind {
	case null:
	case integer, float, boolean, decimal, date, clock, timestamp, interval, duration, fixedBinary:
		p.buffers += 2
	case binaries, utf8, largeBinaries, largeUTF8:
		p.buffers += 3
	case list, largeList, mapping:
		p.buffers += 2
	case structure, fixedList:
		p.buffers++
	default:
		name := kindNames[f.kind]
		if name == "" {
			name = strconv.Itoa(int(f.kind))
		}
		return nil, failed(spool.ErrUnsupported, "column %s has the type %s", f.name, name)
	}
	at, n := o.vector(5, 4)
	for i := range n {
		around, prefix := f, f.name+"."
		if f.kind != structure {
			around = nil
		}
		child, err := p.parse(object{o.flat, o.offset(at + 4*i)}, around, prefix, depth+1)
		if err != nil {
			return nil, err
		}
		f.children = append(f.children, child)
	}
	if one := f.lists(); one && len(f.children) != 1 || !one && f.kind != structure && len(f.children) > 0 {
		return nil, corrupt("column %s has %d columns within it", f.name, len(f.children))
	}
	return f, nil
}

// lists reports whether values are lists.
func (f *field) lists() bool {
	return f.kind == list || f.kind == largeList || f.kind == mapping || f.kind == fixedList
}

// units are the letters of units of time.
const units = "smun"

// describe reads the details of a type, and finds its format: see table.Column.Format.
func (f *field) describe(t object) {
	unit := func(otherwise int64) string {
		return string(units[max(0, min(int(t.number(0, 2, otherwise)), len(units)-1))])
	}
	switch f.kind {
	case integer:
		f.width, f.unsigned = int(t.number(0, 4, 0)), t.number(1, 1, 0) == 0
		f.format = map[int]string{8: "c", 16: "s", 32: "i", 64: "l"}[f.width]
		if f.unsigned {
			f.format = strings.ToUpper(f.format)
		}
	case float:
		precision := max(0, min(int(t.number(0, 2, 0)), 2))
		f.width, f.format = 16<<precision, string("efg"[precision])
	case boolean:
		f.width, f.format = 1, "b"
	case utf8, largeUTF8:
		f.format = "u"
	case binaries, largeBinaries:
		f.format = "z"
	case fixedBinary:
		size := max(0, int(t.number(0, 4, 0)))
		f.width, f.format = 8*size, "w:"+strconv.Itoa(size)
	case date:
		if f.width, f.format = 64, "tdm"; t.number(0, 2, 1) == 0 {
			f.width, f.format = 32, "tdD"
		}
	case clock:
		f.width, f.format = int(t.number(1, 4, 32)), "tt"+unit(1)
	case timestamp:
		f.width, f.format = 64, "ts"+unit(0)+":"+t.text(1)
	case duration:
		f.width, f.format = 64, "tD"+unit(1)
	case fixedList:
		f.elements = int(max(0, min(t.number(0, 4, 0), maxElements)))
	}
	switch f.kind {
	case integer, date, clock, timestamp, duration:
		if f.width != 8 && f.width != 16 && f.width != 32 && f.width != 64 {
			f.damaged(t)
		}
	}
}

// damaged notes a type that cannot be.
func (f *field) damaged(t object) { t.flat.damaged = true }

// cellType returns the type of the values as cells.
func (f *field) cellType() table.Type {
	switch f.kind {
	case utf8, largeUTF8:
		return table.Text
	case binaries, largeBinaries, fixedBinary:
		return table.Bytes
	case integer, float, date, clock, timestamp, duration, decimal:
		return table.Number
	case null:
		return table.Absent
	}
	if bytes, _ := f.media(); bytes != nil {
		return table.Bytes
	}
	return table.JSON
}

// media returns the parts of a structure of bytes and path, as in Hugging Face's datasets, or nil.
func (f *field) media() (bytes, path *field) {
	if f.kind != structure || len(f.children) != 2 {
		return nil, nil
	}
	for _, child := range f.children {
		switch kind := child.cellType(); {
		case kind == table.Bytes && child.kind != structure && strings.EqualFold(child.own, "bytes"):
			bytes = child
		case kind == table.Text && strings.EqualFold(child.own, "path"):
			path = child
		}
	}
	if bytes == nil || path == nil {
		return nil, nil
	}
	return bytes, path
}

// element returns the format of the elements of a list of numbers, text or truth values; empty for other columns.
func (f *field) element() string {
	if !f.lists() || f.kind == mapping {
		return ""
	}
	switch child := f.children[0]; child.cellType() {
	case table.Number, table.Text:
		return child.format
	default:
		if child.kind == boolean {
			return child.format
		}
	}
	return ""
}

// walk calls each for a field and the parts of structures within it. Lists are values as a whole.
func (f *field) walk(each func(*field)) {
	each(f)
	if f.kind == structure {
		for _, child := range f.children {
			child.walk(each)
		}
	}
}
