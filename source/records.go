package source

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/nearest"
	"github.com/spoolmedia/spool/source/internal/files"
	"github.com/spoolmedia/spool/source/table"
)

// Input names one part of each sample of Records: a member of a shard's sample, a column of a table, or a file in one
// of several folders that are beside each other.
type Input struct {
	// Name is an extension without its first dot in shards, a column in tables, and a subfolder in folders.
	// Alternatives are separated by ";", and the first one that a sample has counts: "jpg;png;webp".
	Name string
	// Value takes the value itself from a column of a table: text, a number, a list. Without it, the column holds the
	// path, URL or bytes of a file. It has no effect in shards and folders.
	Value bool
	// Typed is for inputs whose values are passed on: Records.Format then tells their type. Where a table has none, as
	// JSON lines, the listing reads all values of the column.
	Typed bool
	// Optional allows samples without this input. Without it, that is an error of the sample.
	Optional bool
}

// input is an Input with its alternatives.
type input struct {
	Input
	names []string
}

// parseInputs checks inputs and splits their names.
func parseInputs(inputs []Input) ([]input, error) {
	var bad invalid.Options
	if len(inputs) == 0 {
		bad.Addf("records need inputs")
	}
	parsed := make([]input, len(inputs))
	for i, in := range inputs {
		parsed[i] = input{in, strings.Split(in.Name, ";")}
		for k, name := range parsed[i].names {
			name = strings.TrimSuffix(strings.TrimSpace(name), "/")
			if name == "" || name[0] == '.' || name[0] == '/' {
				bad.Value("Input.Name", in.Name, "each alternative must be a name without a dot or slash before it")
			}
			parsed[i].names[k] = name
		}
	}
	return parsed, bad.Err()
}

// String returns the names of the input, for messages.
func (in *input) String() string { return strings.Join(in.names, " or ") }

// required returns the index of the first input that samples must have, or 0.
func required(inputs []input) int {
	for i, in := range inputs {
		if !in.Optional {
			return i
		}
	}
	return 0
}

// among returns the names of an input that does not exist, those that do, and which of them it probably means.
func (in *input) among(there []string) string {
	text := in.String() + "; there are " + cmp.Or(shown(there), "none")
	for _, name := range in.names {
		if near := nearest.Word(name, there); near != "" {
			return text + "; did you mean " + near + "?"
		}
	}
	return text
}

// RecordSource is a Source whose samples have several inputs, each of which is opened by itself.
type RecordSource interface {
	Source
	// OpenInput opens input k of sample i. It returns nil without an error if the sample lacks an optional input. The
	// caller closes the object.
	OpenInput(ctx context.Context, i, k int) (spool.Object, error)
}

// Records is a RecordSource of shards, tables and folders. OpenRecords returns it.
type Records struct {
	listing *Listing
	whole   int // the input that is a file itself; -1: none
}

// OpenRecords lists the samples that the arguments of a command name, as Open does, each with several inputs. An
// argument is one of these, a URL or pattern of them, or braces:
//
//   - a shard: the members with one key are a sample, as in Shards. Inputs are extensions, which begin after the first
//     dot of a name; their case is ignored.
//   - a table (see Manifest): a row is a sample. Inputs are columns; their case is ignored, and a dot leads into
//     structures, as in meta.size.
//   - a folder with a subfolder for each input: the files below the subfolder of the first required input are the
//     samples, as Folder lists them. The files of other inputs have the same path below their subfolders, except for
//     the extension.
//   - a folder without such subfolders, a list, or any other file, if no input but the one called path is required: the
//     files are the samples, as Open lists them, and path is the file itself.
//
// Samples have the inputs in any of these forms, and the same inputs apply to all arguments.
//
// # Shards
//
// A sample is listed if it has a required input, or any input if none is required. Of members in succession with the
// same key and extension none is taken: that is an error of the sample. A listing takes the bytes of a sample's key, 4
// more, and 18 for each input.
//
// # Tables
//
// A column without Input.Value holds paths or URLs, which are resolved as in Manifest, or the bytes of files: binary, a
// structure {bytes, path} as in Hugging Face's datasets, or a list of bytes. With Input.Value, the object's bytes are
// the value as text: strings as they are, numbers in the shortest decimal form that parses to the same value, truth
// values, lists and structures as JSON, binary as it is. A null, and an empty field in CSV and TSV, are no value. A
// label column that an input uses need not hold labels.
//
// # Folders
//
// Options.Extensions, or else the extensions of Options.Medium, select the files of the first required input. Files of
// other inputs may have any extension; two files that differ in nothing else are an error of the sample. The key of a
// sample is its path below the subfolder, without the extension. Listing a folder takes 2 bytes for each further input
// of a sample.
//
// # Errors
//
// A required input that a sample lacks is an ErrNotFound of that sample. A required input that no sample of a shard or
// folder has, or whose column or subfolder does not exist, is an error of the listing. If it is optional, Notices
// reports it. Damage of a shard is an additional last sample, as in Shards; a truncated shard may lack inputs of the
// sample before it, which are then errors of that damage.
func OpenRecords(ctx context.Context, args []string, inputs []Input, o Options) (*Records, error) {
	r, err := newRecordLister(ctx, inputs, o)
	if err != nil {
		return nil, err
	}
	if err := r.openAll(args); err != nil {
		return nil, err
	}
	return r.records()
}

// RecordsFS lists the samples of a folder in fsys, with a subfolder for each input: see OpenRecords, and FS for fsys.
func RecordsFS(ctx context.Context, fsys fs.FS, root string, inputs []Input, o Options) (*Records, error) {
	r, err := newRecordLister(ctx, inputs, o)
	if err != nil {
		return nil, err
	}
	if err := r.lister.folder(files.FS{FS: fsys}, root); err != nil {
		return nil, err
	}
	return r.records()
}

// Len returns the number of samples.
func (r *Records) Len() int { return r.listing.Len() }

// Item describes sample i by the first input that it has.
func (r *Records) Item(i int) Item { return r.listing.Item(i) }

// Open opens input 0 of sample i, or the file itself where files are the samples. Unlike OpenInput, it returns
// ErrNotFound if the input is optional and the sample lacks it.
func (r *Records) Open(ctx context.Context, i int) (spool.Object, error) {
	return r.listing.Open(ctx, i)
}

// OpenInput opens input k of sample i: see RecordSource.
func (r *Records) OpenInput(ctx context.Context, i, k int) (spool.Object, error) {
	g, at := r.listing.locate(i)
	if c, ok := g.container.(recordContainer); ok {
		return c.openInput(ctx, at, k)
	}
	if k != r.whole {
		return nil, nil
	}
	return r.listing.Open(ctx, i)
}

// Segment returns the part of its files that sample i is, or nil: see Segmented and Options.Segments.
func (r *Records) Segment(ctx context.Context, i int) (*Segment, error) {
	return r.listing.Segment(ctx, i)
}

// Segmented reports whether samples may be parts of files, as Listing.Segmented does.
func (r *Records) Segmented() bool { return r.listing.Segmented() }

// Classes returns the names of classes, sorted, as Listing.Classes does.
func (r *Records) Classes() []string { return r.listing.Classes() }

// Remote reports whether inputs may be in a store of Options.Remote.
func (r *Records) Remote() bool { return r.listing.Remote() }

// Counts returns the number of samples of each argument.
func (r *Records) Counts() []int { return r.listing.Counts() }

// Sizes returns the number of samples of each shard, of each row group of a table, and of each run of others, for
// order.NewShards.
func (r *Records) Sizes() []int { return r.listing.Sizes() }

// Notices returns lines that report what is not loaded, and optional inputs that do not exist.
func (r *Records) Notices() []string { return r.listing.Notices() }

// Skipped counts the files, and samples of shards, that were seen and not listed.
func (r *Records) Skipped() Skipped { return r.listing.Skipped() }

// Selection identifies the rows that Options.Where selects, as Listing.Selection does.
func (r *Records) Selection() string { return r.listing.Selection() }

// Damage returns the errors of damaged shards, as Listing.Damage does.
func (r *Records) Damage() error { return r.listing.Damage() }

// Format returns the type of a Typed input's values in the form of Arrow's C data interface, and of a list ("+l") also
// that of its elements. Columns of Parquet and Arrow have theirs. Those of CSV and TSV are text ("u"), and those of
// JSON lines have that of all their values: "l", "g", "u" or "b". Structures, other lists and values of several types
// are text, as JSON. Members of shards and files are binary ("z"). Sources whose types differ give text.
func (r *Records) Format(input int) (format, element string) {
	for g := range r.listing.groups {
		here := table.Column{Format: "z"}
		if c, ok := r.listing.groups[g].container.(recordContainer); ok {
			if t, ok := c.records.(interface{ typeOf(input int) table.Column }); ok {
				here = t.typeOf(input)
			}
		}
		if g > 0 && (here.Format != format || here.Element != element) {
			return "u", ""
		}
		format, element = here.Format, here.Element
	}
	return format, element
}

// records are the samples of a shard, table or folder.
type records interface {
	len() int
	item(k int) Item
	openInput(ctx context.Context, k, input int) (spool.Object, error)
	sizes() []int
	number(label func(class string) int64)
	damage() error
}

// recordContainer is records in a Listing.
type recordContainer struct{ records }

// segment returns the part of its files that record k is, or nil.
func (c recordContainer) segment(ctx context.Context, k int) (*Segment, error) {
	if parts, ok := c.records.(segmented); ok {
		return parts.segment(ctx, k)
	}
	return nil, nil
}

func (c recordContainer) open(ctx context.Context, k int) (spool.Object, error) {
	o, err := c.openInput(ctx, k, 0)
	if o == nil && err == nil {
		err = &spool.Error{Op: "open", File: c.item(k).Name, Class: spool.ErrNotFound,
			Text: "the sample lacks its first input, which is optional"}
	}
	return o, err
}

// recordLister lists records.
type recordLister struct {
	*lister
	inputs []input
	whole  int            // the input that is a file itself, where files are the samples; -1: none
	shards []*recordShard // to be scanned
}

func newRecordLister(ctx context.Context, inputs []Input, o Options) (*recordLister, error) {
	parsed, err := parseInputs(inputs)
	if err != nil {
		return nil, err
	}
	l, err := newLister(ctx, o)
	if err != nil {
		return nil, err
	}
	r := &recordLister{lister: l, inputs: parsed, whole: wholeInput(parsed)}
	l.roots = r
	return r, nil
}

// records returns the result, or the problems as an error.
func (r *recordLister) records() (*Records, error) {
	if err := r.scan(); err != nil {
		return nil, err
	}
	listing, err := r.listing()
	if err != nil {
		return nil, err
	}
	return &Records{listing, r.whole}, nil
}

// files reports whether files are the samples.
func (r *recordLister) files() bool { return r.whole >= 0 }

// wholeInput returns the index of the input called path, if no other is required, or -1.
func wholeInput(inputs []input) int {
	whole := slices.IndexFunc(inputs, func(in input) bool { return !in.Value && slices.Contains(in.names, "path") })
	for i, in := range inputs {
		if i != whole && !in.Optional {
			return -1
		}
	}
	return whole
}

// lacking reports an input that does not exist in a file or folder: as an error, or as a notice if it is optional.
func (r *recordLister) lacking(in *input, file, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if in.Optional {
		if !slices.ContainsFunc(in.names, r.opts.leavesOut) {
			r.notices.add(file, "optional input: "+text)
		}
		return
	}
	r.problems.add(&spool.Error{Op: "list", File: spool.Redacted(file), Class: spool.ErrNotFound, Text: text})
}

// noRecords returns the error of an argument that is a file, or a list of files.
func noRecords(name string) error {
	return refusedIn(name, "files are samples of the input path only; give folders, shards and tables for others")
}

// lacks returns the error of a sample without a required input.
func lacks(name, format string, args ...any) error {
	return &spool.Error{Op: "open", File: name, Class: spool.ErrNotFound, Text: fmt.Sprintf(format, args...)}
}
