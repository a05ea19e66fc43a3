package parquet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// leaf is a column of values.
type leaf struct {
	name    string // in lower case, with the names of the structures that contain it, joined by dots
	index   int    // among the leaves
	kind    format.Type
	size    int // of a value in bytes, if all have the same
	meaning meaning
	scale   int    // of a decimal
	format  string // see table.Column
	levels  int    // of definition: how many of it and of the structures around it may be missing
	repeats int    // levels of repetition: how many lists it is in
}

// node is an element of the schema: a column, a structure, or a list.
type node struct {
	name     string // as in the file
	leaf     *leaf  // nil: it has children
	children []*node
	first    *leaf // of those below
	levels   int   // of definition, if it is there
	repeats  int   // of repetition, if it is repeated
	repeated bool
	shell    bool // only a part of the form of a list: its one child is its value
}

// schema is a schema that is being read.
type schema struct {
	elements []format.SchemaElement // beginning with the parent of the next ones
	leaves   []*leaf
}

// newSchema returns the columns of a schema, whose elements come depth first, each before its children.
func newSchema(elements []format.SchemaElement) (columns []*node, leaves []*leaf, err error) {
	s := &schema{elements: elements}
	ok := len(elements) > 0
	if ok {
		columns, ok = s.children("", int(elements[0].NumChildren.V), &node{}, 0)
	}
	if !ok || len(s.elements) > 1 {
		return nil, nil, corrupt("an invalid schema")
	}
	return columns, s.leaves, nil
}

func (s *schema) children(prefix string, n int, in *node, depth int) (children []*node, ok bool) {
	if depth > maxDepth {
		return nil, false
	}
	for range n {
		if s.elements = s.elements[1:]; len(s.elements) == 0 {
			return nil, false
		}
		e := &s.elements[0]
		x := &node{name: e.Name, levels: in.levels, repeats: in.repeats}
		name := prefix + strings.ToLower(e.Name)
		if e.RepetitionType.Valid && e.RepetitionType.V != format.Required {
			x.levels++
			if x.repeated = e.RepetitionType.V == format.Repeated; x.repeated {
				x.repeats++
			}
		}
		if !e.Type.Valid {
			if x.children, ok = s.children(name+".", int(e.NumChildren.V), x, depth+1); !ok {
				return nil, false
			}
			if len(x.children) == 0 {
				continue // a structure of nothing
			}
			x.first = x.children[0].first
			x.list(e)
		} else {
			x.leaf = newLeaf(e)
			x.leaf.name, x.leaf.index, x.leaf.levels, x.leaf.repeats = name, len(s.leaves), x.levels, x.repeats
			x.first = x.leaf
			s.leaves = append(s.leaves, x.leaf)
		}
		children = append(children, x)
	}
	return children, true
}

// list marks the parts of a list's form: a LIST that contains one repeated element, which is a structure of one child.
// Older files leave out that structure. A MAP is a list of structures of key and value. See
// https://github.com/apache/parquet-format/blob/master/LogicalTypes.md.
func (n *node) list(e *format.SchemaElement) {
	_, isList := e.LogicalType.Value.(*format.ListType)
	_, isMap := e.LogicalType.Value.(*format.MapType)
	if e.ConvertedType.Valid {
		isList = isList || e.ConvertedType.V == deprecated.List
		isMap = isMap || e.ConvertedType.V == deprecated.Map
	}
	if !isList && !isMap || len(n.children) != 1 || !n.children[0].repeated {
		return
	}
	n.shell = true
	element := n.children[0]
	element.shell = !isMap && len(element.children) == 1 && element.name != "array" && element.name != n.name+"_tuple"
}

// names returns the names of columns in lower case.
func names(columns []*node) []string {
	var names []string
	for _, n := range columns {
		if name := strings.ToLower(n.name); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// columns are the leaves that are read; nil if missing.
type columns struct{ path, media, label, key *leaf }

// find finds the columns.
func find(all []*leaf, c table.Columns) (found columns, err error) {
	named := func(name string) *leaf {
		i := slices.IndexFunc(all, func(l *leaf) bool { return l.name == name })
		if i < 0 {
			return nil
		}
		return all[i]
	}
	for _, name := range c.Path {
		name = strings.ToLower(name)
		l := named(name)
		switch {
		case l != nil && l.meaning == isText:
			found.path = l
		case l != nil:
			found.media = l
		default:
			found.media, found.path = named(name+".bytes"), named(name+".path")
		}
		if found.path != nil || found.media != nil {
			break
		}
	}
	for _, other := range []struct {
		names []string
		leaf  **leaf
	}{{c.Label, &found.label}, {c.Key, &found.key}} {
		for _, name := range other.names {
			if *other.leaf = named(strings.ToLower(name)); *other.leaf != nil {
				break
			}
		}
	}
	if c.Cells {
		found.keepPlain()
		return found, found.check()
	}
	if found.path == nil && found.media == nil {
		var there []string
		for _, l := range all {
			there = append(there, l.name)
		}
		return columns{}, corrupt("no column of the manifest is called %s; there are %.200s", strings.Join(c.Path, ", "),
			strings.Join(there, ", "))
	}
	return found, found.check()
}

// keepPlain leaves out columns that cells can read, and rows cannot.
func (c *columns) keepPlain() {
	if c.path != nil && (c.path.meaning != isText || c.path.repeats > 0) {
		c.path = nil
	}
	if c.path == nil || c.media != nil && (c.media.kind != format.ByteArray || c.media.repeats > 0) {
		c.media = nil
	}
}

// check refuses columns of unsuitable types.
func (c *columns) check() error {
	for _, l := range []*leaf{c.path, c.media, c.label, c.key} {
		if l == nil {
			continue
		}
		integer := (l == c.label || l == c.key) && (l.kind == format.Int32 || l.kind == format.Int64)
		if l.repeats > 0 || l.kind != format.ByteArray && !integer {
			err := &spool.Error{Op: "read", Class: spool.ErrUnsupported, Text: fmt.Sprintf(
				"column %s is a list, or neither text nor integers: %v (source.Options.Ignore with %[1]s leaves it out)", l.name,
				l.kind)}
			if l == c.label {
				err.Err = table.ErrLabel
			}
			return err
		}
	}
	return nil
}
