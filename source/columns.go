package source

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// labelColumns are the usual names of the label column, the most likely first.
var labelColumns = []string{"label", "target", "cls", "class", "class_name", "category"}

// columns returns the names to look for.
func (o Options) columns() table.Columns {
	c := table.Columns{
		Path:  []string{"file", "path", "filename", "image", "video", "audio"},
		Label: labelColumns,
		Key:   []string{"key"},

		Size: []string{"size"}, Version: []string{"etag"},
	}
	for _, asked := range []struct {
		name    string
		columns *[]string
	}{{o.Path, &c.Path}, {o.Label, &c.Label}, {o.Key, &c.Key}} {
		if asked.name != "" {
			*asked.columns = []string{asked.name}
		}
		*asked.columns = slices.DeleteFunc(slices.Clone(*asked.columns), o.leavesOut)
	}
	return c
}

// leavesOut reports whether a column must not be used.
func (o Options) leavesOut(column string) bool {
	return slices.ContainsFunc(o.Ignore, func(name string) bool { return strings.EqualFold(name, column) })
}

// ignores reports whether an unused column needs no notice.
func (o Options) ignores(column string) bool {
	return o.leavesOut(column) || slices.Contains(o.Ignore, "*")
}

// unused checks the columns of a table that are not loaded. It returns an error if the table means other samples than
// would be loaded, and otherwise a notice, which is empty if all columns are used. The table was opened with the
// columns asked, and inputs are those of records, or nil.
func (o Options) unused(names []string, asked table.Columns, inputs []input) (notice string, err error) {
	c := asked.For(names)
	ledger := c.Label == nil && asked.Label != nil
	if o.Label != "" && !ledger && table.Within(names, c.Label) < 0 {
		return "", refused("no column is called %s, which is to hold the labels; there are %.200s", o.Label, shown(names))
	}
	var unused []string
	parts := segmentColumns{}
	if inputs == nil || o.Segments {
		parts = o.segmentColumns(names, inputs)
	}
	for _, name := range names {
		if name != "" && !c.Uses(name, names) && !usedBy(inputs, name) && !parts.uses(name) && !o.ignores(name) &&
			!(ledger && !o.times(name)) {
			unused = append(unused, name)
		}
	}
	if times := slices.DeleteFunc(slices.Clone(unused), func(name string) bool { return !o.times(name) }); len(times) > 0 {
		return "", refused("the table gives times in %s, which are not used: ignore %s by source.Options.Ignore, or call "+
			"columns of seconds start and end", shown(times), strings.Join(times, ","))
	}
	if w := o.where(); w.text != nil {
		unused = slices.DeleteFunc(unused, func(name string) bool { return leadsTo(name, w.text.Columns()) })
	}
	if len(unused) == 0 {
		return "", nil
	}
	notice = "columns that are not used: " + shown(unused)
	if table.Within(names, c.Label) < 0 && inputs == nil && !o.ignores("label") {
		notice += "; none is called " + strings.Join(c.Label, ", ") + ", so that there are no labels (source.Options.Label)"
	}
	return notice, nil
}

// usedBy reports whether an input has a column, or a value within it.
func usedBy(inputs []input, column string) bool {
	return slices.ContainsFunc(inputs, func(in input) bool { return leadsTo(column, in.names) })
}

// leadsTo reports whether a column is one of the names, or a structure that contains one.
func leadsTo(column string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return strings.EqualFold(name, column) || len(name) > len(column) && name[len(column)] == '.' &&
			strings.EqualFold(name[:len(column)], column)
	})
}

// times reports whether a column seems to select a part of each file, where media have a duration.
func (o Options) times(column string) bool {
	if o.Medium == Images {
		return false
	}
	word, _, _ := strings.Cut(column, "_")
	return slices.Contains([]string{"start", "end", "stop", "begin"}, word)
}

func refused(format string, args ...any) error {
	return &spool.Error{Op: "list", Class: spool.ErrUnsupported, Text: fmt.Sprintf(format, args...)}
}

// shown joins names, and counts those after the first twelve.
func shown(names []string) string {
	const most = 12
	text := strings.Join(names[:min(len(names), most)], ", ")
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return spool.Redacted(text)
}

// fileNotice is a notice about one or more files.
type fileNotice struct {
	text  string
	first string // of the files
	more  int    // number of further files
}

// fileNotices are the notices about all files, each text once.
type fileNotices []fileNotice

func (r *fileNotices) add(file, text string) {
	if text == "" {
		return
	}
	for i := range *r {
		if (*r)[i].text == text {
			(*r)[i].more++
			return
		}
	}
	*r = append(*r, fileNotice{text: text, first: file})
}

// lines returns the notices as lines.
func (r fileNotices) lines() []string {
	var lines []string
	for _, x := range r {
		file := spool.Redacted(x.first)
		if x.more > 0 {
			file += fmt.Sprintf(" and %d more", x.more)
		}
		lines = append(lines, file+": "+x.text)
	}
	return lines
}

// unusedMembers returns a notice about the members of a shard that are not loaded.
func (o Options) unusedMembers(extensions map[string]bool) string {
	unused := slices.DeleteFunc(slices.Sorted(maps.Keys(extensions)), o.ignores)
	if len(unused) == 0 {
		return ""
	}
	return "members that are not used: " + shown(unused)
}

// segmentColumns are the columns of a table that make its rows parts of files. Empty names are columns that it lacks.
type segmentColumns struct{ start, end, stream string }

// segmentColumns returns the columns of a table with given names that make its rows parts of files. Inputs are not
// among them.
func (o Options) segmentColumns(names []string, inputs []input) (c segmentColumns) {
	if o.Medium == Images {
		return c
	}
	for _, x := range []struct {
		column *string
		usual  []string
	}{{&c.start, []string{"start", "start_time", "time_start"}}, {&c.end, []string{"end", "end_time", "time_end"}},
		{&c.stream, []string{"stream"}}} {
		for _, name := range x.usual {
			at := slices.IndexFunc(names, func(there string) bool { return strings.EqualFold(there, name) })
			if at >= 0 && !o.leavesOut(name) && !usedBy(inputs, name) {
				*x.column = names[at]
				break
			}
		}
	}
	return c
}

func (c segmentColumns) uses(name string) bool {
	return name != "" && (name == c.start || name == c.end || name == c.stream)
}

// segments are the parts of files that the rows of a table are.
type segments struct {
	cells   table.Cells
	columns segmentColumns
}

// findSegments finds whether the rows of a manifest are parts of files.
func (m *manifest) findSegments(ctx context.Context, names []string, inputs []input) error {
	w := m.parts
	columns := w.opts.segmentColumns(names, inputs)
	if columns == (segmentColumns{}) {
		return nil
	}
	cells, ok := m.rows.(table.Cells)
	if !ok {
		c := w.opts.columns()
		c.Cells = true
		again, err := readManifest(ctx, m.name, w, c)
		if err != nil {
			return err
		}
		if cells, ok = again.rows.(table.Cells); !ok {
			return errNoCells
		}
	}
	m.segments = &segments{cells, columns}
	if _, err := m.segment(ctx, 0); errors.Is(err, errSegment) {
		text := err.Error()
		if e, ok := errors.AsType[*spool.Error](err); ok {
			text = e.Detail()
		}
		return refused("%s (source.Options.Ignore leaves columns out)", text)
	}
	return nil
}

// errSegment is the error of a value that must be a time or a stream.
var errSegment = errors.New("is no time in seconds, or no number of a stream")

// segment returns the part of its file that row k is, or nil.
func (m *manifest) segment(ctx context.Context, k int) (*Segment, error) {
	if m.segments == nil {
		return nil, nil
	}
	part := &Segment{Start: math.Inf(-1), End: math.Inf(1)}
	for _, x := range []struct {
		column string
		set    func(text string) (ok bool)
	}{
		{m.segments.columns.start, func(text string) bool { return seconds(text, &part.Start) }},
		{m.segments.columns.end, func(text string) bool { return seconds(text, &part.End) }},
		{m.segments.columns.stream, func(text string) bool {
			n, err := strconv.ParseFloat(text, 64) // tables of numbers with gaps have 1.0
			number := int(n)
			part.Stream = &number
			return err == nil && n == math.Trunc(n) && n >= 0 && n < math.MaxInt32
		}},
	} {
		if x.column == "" {
			continue
		}
		cell, err := m.segments.cells.Cell(ctx, k, x.column)
		if err != nil {
			return nil, spool.InFile(err, m.at(k))
		}
		if cell.Type != table.Absent && !x.set(strings.TrimSpace(string(cell.Data))) {
			return nil, m.badRow(k, fmt.Errorf("column %s: %.40q %w", x.column, cell.Data, errSegment))
		}
	}
	if part.Start >= part.End {
		return nil, m.badRow(k, fmt.Errorf("the segment from %v to %v s is empty", part.Start, part.End))
	}
	return part, nil
}

// seconds parses a finite time.
func seconds(text string, to *float64) bool {
	v, err := strconv.ParseFloat(text, 64)
	*to = v
	return err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}
