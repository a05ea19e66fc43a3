package source

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/internal/files"
	"github.com/spoolmedia/spool/source/shard"
	"github.com/spoolmedia/spool/source/table"
)

// InferredInput is an input that the samples of a source seem to have. It is Optional if some of the examined samples
// lack it.
type InferredInput struct {
	Input
	Kind       string   // image, mask, video, audio, text, json, number or bytes
	Extensions []string // of its files in folders, with their dots, the most frequent first
	Samples    int      // of those examined, that have it
	Examined   int

	Type  spool.DType // of numbers: Int64, Float64 or Float32
	Shape spool.Shape // of numbers: that of lists of one length; nil for one number
}

// InferInputs guesses the inputs of records from the first samples of the first folder, shard or table that the
// arguments name. In shards, extensions of the same kind that no sample has together are alternatives of one input, if
// they differ in the last part only, as jpg and png do. Extensions, names and contents tell the kind; a mask is an
// image whose name says so, as in 1.seg.png or masks. Errors are those of OpenRecords.
//
// The type of numbers is that of their column in Parquet and Arrow: integers are Int64, half and single precision are
// Float32, others Float64. In CSV, TSV and JSON lines, it follows from all values: Int64 if they are integers of 64
// bits, else Float64. In shards, and for lists, it follows from the first 16 samples. Lists of several lengths are
// JSON.
func InferInputs(ctx context.Context, args []string, o Options) ([]InferredInput, error) {
	l, err := newLister(ctx, o)
	if err != nil {
		return nil, err
	}
	f := &firstRoot{lister: l}
	l.roots = f
	if err := l.openAll(args); err != nil {
		return nil, err
	}
	if err := l.problems.err(); err != nil {
		return nil, err
	}
	return f.infer()
}

// firstRoot is the first folder, shard or table that arguments name.
type firstRoot struct {
	*lister
	name  string
	infer func() ([]InferredInput, error)
}

func (f *firstRoot) take(name string, infer func() ([]InferredInput, error)) {
	if f.infer == nil {
		f.name, f.infer = name, infer
	}
}

func (f *firstRoot) folder(p files.System, root string) error {
	f.take(root, func() ([]InferredInput, error) { return f.inFolder(p) })
	return nil
}

func (f *firstRoot) shard(name string) { f.take(name, f.inShard) }

func (f *firstRoot) table(name string) error {
	f.take(name, f.inTable)
	return nil
}

func (f *firstRoot) files() bool { return false }

const (
	examinedSamples = 256      // how many samples of a shard or folder are examined
	examinedBytes   = 16 << 20 // of a shard without an index
)

// count sets how many samples have the input.
func (in *InferredInput) count(samples []bool) {
	for _, there := range samples {
		if there {
			in.Samples++
		}
	}
	in.Examined = len(samples)
	in.Optional = in.Samples < in.Examined
}

// inShard finds the extensions in a shard. Of a large one without an index, the beginning is read.
func (f *firstRoot) inShard() ([]InferredInput, error) {
	file := newShardFile(f.name, f.opts, f.partOpener().unpacked)
	x, err := file.index(f.ctx, examinedBytes)
	if err != nil {
		return nil, spool.InFile(err, f.name)
	}
	n := min(x.Len(), examinedSamples)
	if n > 1 && n == x.Len() && x.Damage() != nil {
		n-- // the last one may be incomplete
	}
	if n == 0 {
		return nil, spool.InFile(cmp.Or(x.Damage(), nothing(f.name, f.opts, Skipped{})), f.name)
	}
	has, first := map[string][]bool{}, map[string]shard.Member{}
	for i := range n {
		for _, m := range x.Sample(i).Members {
			ext := m.Ext()
			if has[ext] == nil {
				has[ext], first[ext] = make([]bool, n), m
			}
			has[ext][i] = true
		}
	}
	var found []InferredInput
	var sets [][]bool // the samples that have each of found
	for _, ext := range slices.Sorted(maps.Keys(has)) {
		kind := kindOf(path.Ext("."+ext), ext)
		if kind == "" {
			data, err := f.peek(file, first[ext])
			if err != nil {
				return nil, err
			}
			if kind = kindBytes; data != nil {
				kind = kindOfValue(data)
			}
		}
		in := InferredInput{Input: Input{Name: ext}, Kind: kind}
		if kind == kindNumber {
			if err := f.numbersOf(file, x, &in); err != nil {
				return nil, err
			}
		}
		at := slices.IndexFunc(found, func(in InferredInput) bool {
			return isMedia(kind) && in.Kind == kind && inner(in.Name) == inner(ext)
		})
		if at < 0 || !apart(sets[at], has[ext]) {
			found, sets = append(found, in), append(sets, has[ext])
			continue
		}
		found[at].Name += ";" + ext
		for i, there := range has[ext] {
			sets[at][i] = sets[at][i] || there
		}
	}
	for i := range found {
		found[i].count(sets[i])
	}
	return found, nil
}

// inner returns an extension without its last part, "seg" of "seg.png", and so of the first of alternatives.
func inner(ext string) string {
	ext, _, _ = strings.Cut(ext, ";")
	return strings.TrimSuffix(strings.TrimSuffix(ext, path.Ext("." + ext)[1:]), ".")
}

// apart reports whether no sample is in both sets.
func apart(a, b []bool) bool {
	for i := range a {
		if a[i] && b[i] {
			return false
		}
	}
	return true
}

// peek returns the content of a small member, and nil for a large one.
func (f *firstRoot) peek(file *shardFile, m shard.Member) ([]byte, error) {
	const most = 4 << 10
	if m.Size > most {
		return nil, nil
	}
	o, err := file.member(f.ctx, m.Name, m)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	data, err := spool.ReadAll(f.ctx, o, nil, most)
	if err != nil {
		return nil, spool.InFile(err, f.name)
	}
	return data, nil
}

// numbersOf finds the type of numbers by the first samples of a shard.
func (f *firstRoot) numbersOf(file *shardFile, x *shard.Index, in *InferredInput) error {
	var seen numbers
	for i := 0; i < x.Len() && seen.count < examinedRows; i++ {
		for _, m := range x.Sample(i).Members {
			if m.Ext() != in.Name {
				continue
			}
			data, err := f.peek(file, m)
			if err != nil {
				return err
			}
			seen.add(data)
		}
	}
	seen.describe(in, "")
	return nil
}

// inTable finds the columns of a table.
func (f *firstRoot) inTable() ([]InferredInput, error) {
	c := f.opts.columns()
	m, err := readManifest(f.ctx, f.name, f.partOpener(), table.Columns{Cells: true})
	if err != nil {
		return nil, spool.InFile(err, f.name)
	}
	cells, ok := m.rows.(table.Cells)
	if !ok {
		return nil, spool.InFile(errNoCells, f.name)
	}
	var found []InferredInput
	var single []string // columns that seem to have one number in each row
	for _, column := range cells.Columns() {
		if inside(column.Name, cells.Columns()) || containsFold(c.Key, column.Name) {
			continue
		}
		in := InferredInput{Input: Input{Name: column.Name}}
		samples := make([]bool, min(cells.Len(), examinedRows))
		kinds := map[string]int{}
		files := 0
		var seen numbers
		for k := range samples {
			cell, err := cells.Cell(f.ctx, k, column.Name)
			if err := ended(f.ctx, "list", f.name); err != nil {
				return nil, err
			}
			if err != nil || cell.Type == table.Absent {
				continue
			}
			samples[k] = true
			kind, file := f.opts.kindOfCell(column.Name, cell)
			kinds[kind]++
			switch {
			case file:
				files++
			case kind == kindNumber:
				seen.add(cell.Data)
			}
		}
		in.count(samples)
		in.Kind = mostFrequent(kinds)
		in.Value = 2*files < in.Samples || in.Samples == 0
		switch in.Kind {
		case "":
			in.Kind = kindText
		case kindNumber:
			if seen.describe(&in, cmp.Or(column.Element, column.Format)); in.Kind == kindNumber && in.Shape == nil {
				single = append(single, in.Name)
			}
		}
		found = append(found, in)
	}
	return found, f.typeNumbers(cells, found, single)
}

// typeNumbers sets the types of single numbers by all values of their columns.
func (f *firstRoot) typeNumbers(cells table.Cells, found []InferredInput, single []string) error {
	kinds, err := table.ColumnKinds(f.ctx, cells, single)
	if err != nil {
		return spool.InFile(err, f.name)
	}
	for i, name := range single {
		in := &found[slices.IndexFunc(found, func(in InferredInput) bool { return in.Name == name })]
		switch kinds[i] {
		case table.Floating:
			if in.Type == spool.Int64 {
				in.Type = spool.Float64
			}
		case table.Words, table.Mixed:
			in.Kind = kindText
		}
	}
	return nil
}

// inside reports whether a column is a part of another one.
func inside(name string, columns []table.Column) bool {
	return slices.ContainsFunc(columns, func(c table.Column) bool { return strings.HasPrefix(name, c.Name+".") })
}

// mostFrequent returns the most frequent word, the first of those in order; or "".
func mostFrequent(counts map[string]int) string {
	best := ""
	for _, word := range slices.Sorted(maps.Keys(counts)) {
		if counts[word] > counts[best] {
			best = word
		}
	}
	return best
}

// inFolder finds the subfolders of a folder.
func (f *firstRoot) inFolder(p files.System) ([]InferredInput, error) {
	r := &recordLister{lister: f.lister}
	there, err := r.subfolders(p, f.name)
	if err == nil {
		err = f.problems.err()
	}
	if err != nil {
		return nil, err
	}
	var found []InferredInput
	stems := make([]map[string]bool, 0, len(there))
	for _, name := range there {
		in := InferredInput{Input: Input{Name: name}}
		endings, seen := map[string]int{}, map[string]bool{}
		if err := f.gather(p, files.Join(f.name, name), "", endings, seen); err != nil {
			return nil, err
		}
		if len(seen) == 0 {
			continue
		}
		in.Extensions = slices.SortedFunc(maps.Keys(endings), func(a, b string) int {
			return cmp.Or(cmp.Compare(endings[b], endings[a]), cmp.Compare(a, b))
		})
		if in.Kind = kindOf(in.Extensions[0], name); in.Kind == "" {
			in.Kind = kindBytes
		}
		found, stems = append(found, in), append(stems, seen)
	}
	if len(found) == 0 {
		return nil, nothing(f.name, f.opts, Skipped{})
	}
	base := max(0, slices.IndexFunc(found, func(in InferredInput) bool { return in.Kind == kindImage }))
	for i := range found {
		samples := make([]bool, 0, len(stems[base]))
		for stem := range stems[base] {
			samples = append(samples, stems[i][stem])
		}
		found[i].count(samples)
	}
	return found, nil
}

// gather counts the extensions of the first files below a folder, and collects their paths without extensions.
func (f *firstRoot) gather(p files.System, folder, below string, endings map[string]int, stems map[string]bool) error {
	if err := ended(f.ctx, "list", folder); err != nil {
		return err
	}
	var names, folders []string
	err := p.Entries(f.ctx, folder, func(e fs.DirEntry) {
		switch name := e.Name(); {
		case name[0] == '.':
		case e.IsDir(): // links are not followed, which may lead back
			folders = append(folders, name)
		default:
			names = append(names, name)
		}
	})
	if err != nil {
		return spool.FileError("list", folder, err)
	}
	slices.Sort(names)
	slices.Sort(folders)
	for _, name := range names {
		if len(stems) == examinedSamples {
			return nil
		}
		stems[stem(below+name)] = true
		endings[strings.ToLower(path.Ext(name))]++
	}
	for _, name := range folders {
		if len(stems) == examinedSamples {
			return nil
		}
		if err := f.gather(p, files.Join(folder, name), below+name+"/", endings, stems); err != nil {
			return err
		}
	}
	return nil
}
