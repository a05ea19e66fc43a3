package parquet

import (
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// leaf is a column of values.
type leaf struct {
	name     string // in lower case, with the names of the structures that contain it, joined by dots
	index    int    // among the leaves
	kind     format.Type
	text     bool
	levels   int  // of definition: how many of it and of the structures around it may be missing
	repeated bool // in a list
}

// leaves returns the columns of a schema, whose elements come depth first, each before its children.
func leaves(elements []format.SchemaElement) ([]leaf, error) {
	s := &schema{elements: elements}
	if len(elements) == 0 || !s.children("", int(elements[0].NumChildren.V), leaf{}, 0) || len(s.elements) > 1 {
		return nil, corrupt("an invalid schema")
	}
	return s.leaves, nil
}

type schema struct {
	elements []format.SchemaElement // beginning with the parent of the next ones
	leaves   []leaf
}

func (s *schema) children(prefix string, n int, in leaf, depth int) bool {
	if depth > maxDepth {
		return false
	}
	for range n {
		if s.elements = s.elements[1:]; len(s.elements) == 0 {
			return false
		}
		e, l := &s.elements[0], in
		l.name = prefix + strings.ToLower(e.Name)
		if e.RepetitionType.Valid && e.RepetitionType.V != format.Required {
			l.levels++
			l.repeated = l.repeated || e.RepetitionType.V == format.Repeated
		}
		if !e.Type.Valid {
			if !s.children(l.name+".", int(e.NumChildren.V), l, depth+1) {
				return false
			}
			continue
		}
		l.index, l.kind, l.text = len(s.leaves), e.Type.V, isText(e)
		s.leaves = append(s.leaves, l)
	}
	return true
}

func isText(e *format.SchemaElement) bool {
	switch e.LogicalType.Value.(type) {
	case *format.StringType, *format.EnumType:
		return true
	}
	return e.ConvertedType.Valid && (e.ConvertedType.V == deprecated.UTF8 || e.ConvertedType.V == deprecated.Enum)
}

// names returns the names of the columns that contain the leaves.
func names(all []leaf) []string {
	var names []string
	for _, l := range all {
		name, _, _ := strings.Cut(l.name, ".")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// columns are the leaves that are read; nil if missing.
type columns struct{ path, media, label, key *leaf }

// find finds the columns.
func find(all []leaf, c table.Columns) (found columns, err error) {
	named := func(name string) *leaf {
		i := slices.IndexFunc(all, func(l leaf) bool { return l.name == name })
		if i < 0 {
			return nil
		}
		return &all[i]
	}
	for _, name := range c.Path {
		name = strings.ToLower(name)
		l := named(name)
		switch {
		case l != nil && l.text:
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
	if found.path == nil && found.media == nil {
		var there []string
		for _, l := range all {
			there = append(there, l.name)
		}
		return columns{}, corrupt("no column of the manifest is called %s; there are %.200s", strings.Join(c.Path, ", "),
			strings.Join(there, ", "))
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
	return found, found.check()
}

// check refuses columns of unsuitable types.
func (c columns) check() error {
	for _, l := range []*leaf{c.path, c.media, c.label, c.key} {
		if l == nil {
			continue
		}
		integer := (l == c.label || l == c.key) && (l.kind == format.Int32 || l.kind == format.Int64)
		if l.repeated || l.kind != format.ByteArray && !integer {
			return failed(spool.ErrUnsupported,
				"column %s is a list, or neither text nor integers: %v (source.Options.Ignore with %[1]s leaves it out)", l.name,
				l.kind)
		}
	}
	return nil
}
