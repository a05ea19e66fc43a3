package pack

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/table"
)

// Format is a format of tables: {Name: "parquet", Create: parquet.NewWriter}, or with arrow.NewWriter. The zero value
// is WebDataset tar.
type Format struct {
	Name   string // the extension of shards, without a dot
	Create table.Create
	// Index makes a file that is written before the manifest, as MDS needs one. Without it there is no such file, and
	// with it no WriteShards.
	Index table.CreateIndex
}

// The columns of tables besides the files of samples.
const (
	labelColumn = "label"
	keyColumn   = "key"
)

// schema returns the columns of a table of samples.
func (s samples) schema(values []string) table.Schema {
	var fields []table.Field
	if s.records == nil {
		fields = append(fields, table.Field{Name: columnOf(s.src)})
	}
	for _, member := range s.members {
		f := table.Field{Name: columnOfMember(member)}
		if slices.Contains(values, member) {
			f.Kind = table.TextField
		}
		fields = append(fields, f)
	}
	features := map[string]any{}
	for i, f := range fields {
		word := f.Name
		if s.records != nil {
			word = s.members[i]
		}
		features[f.Name] = feature(f.Kind, word)
	}
	fields = append(fields, table.Field{Name: labelColumn, Kind: table.IntegerField},
		table.Field{Name: keyColumn, Kind: table.TextField})
	features[keyColumn], features[labelColumn] = plain("string"), plain("int64")
	if classes := s.src.Classes(); classes != nil {
		features[labelColumn] = map[string]any{"_type": "ClassLabel", "names": classes}
	}
	text, _ := json.Marshal(map[string]any{"info": map[string]any{"features": features}}) // of text only
	return table.Schema{Fields: fields, Metadata: [][2]string{{"huggingface", string(text)}}}
}

// columnOfMember returns the column of an extension. A dot in the name of a column would lead into a structure.
func columnOfMember(ext string) string { return strings.ReplaceAll(ext, ".", "_") }

// media are the names of columns and features of Hugging Face's data sets.
var media = []struct {
	medium          source.Medium
	column, feature string
}{{source.Images, "image", "Image"}, {source.Videos, "video", "Video"}, {source.Audio, "audio", "Audio"}}

// columnOf returns the column of samples that are one file: that of their medium, or file.
func columnOf(src source.Source) string {
	for _, m := range media {
		known, all := m.medium.Extensions(), src.Len() > 0
		for i := 0; all && i < src.Len(); i++ {
			all = slices.Contains(known, "."+extension(src.Item(i)))
		}
		if all {
			return m.column
		}
	}
	return "file"
}

// feature describes a column of files as Hugging Face's data sets do. word is the column's name or the extension.
func feature(kind table.FieldKind, word string) any {
	if kind == table.TextField {
		return plain("string")
	}
	last := word[strings.LastIndexByte(word, '.')+1:]
	for _, m := range media {
		if last == m.column || slices.Contains(m.medium.Extensions(), "."+last) {
			return map[string]any{"_type": m.feature}
		}
	}
	return map[string]any{"bytes": plain("binary"), "path": plain("string")}
}

func plain(dtype string) any { return map[string]any{"_type": "Value", "dtype": dtype} }

// rows writes samples to a table.
type rows struct {
	samples
	schema table.Schema
	out    table.Writer
	buffer *bufio.Writer
	values []table.Value
	memory [][]byte // of each file
}

func newRows(s samples, schema table.Schema, create table.Create, f io.Writer) (*rows, error) {
	buffer := bufio.NewWriterSize(f, 1<<18)
	out, err := create(buffer, schema)
	return &rows{samples: s, schema: schema, out: out, buffer: buffer, values: make([]table.Value, len(schema.Fields)),
		memory: make([][]byte, s.files())}, err
}

// sample adds sample i, at a position of the packed order.
func (r *rows) sample(ctx context.Context, i, at int) error {
	item := r.src.Item(i)
	for k := range r.files() {
		v, err := r.value(ctx, i, k, at)
		if err != nil {
			return err
		}
		r.values[k] = v
	}
	r.values[len(r.values)-2] = table.Value{Present: item.Label >= 0, Integer: max(item.Label, 0)}
	r.values[len(r.values)-1] = table.Value{Present: true, Data: []byte(keyOf(item))}
	if err := r.out.WriteRow(r.values); err != nil {
		return spool.InFile(err, item.Name)
	}
	return nil
}

// keyOf returns a sample's key, or else the name of its file in the folder.
func keyOf(item source.Item) string {
	if item.Key != "" {
		return item.Key
	}
	name := spool.Redacted(item.Name)
	return name[strings.LastIndexByte(name, '/')+1:]
}

// value returns file k of sample i, or a missing value.
func (r *rows) value(ctx context.Context, i, k, at int) (table.Value, error) {
	o, err := r.open(ctx, i, k)
	if err != nil || o == nil {
		return table.Value{}, err
	}
	defer o.Close()
	data, ext, err := r.read(ctx, o, i, k, r.memory[k])
	if err != nil {
		return table.Value{}, err
	}
	v := table.Value{Present: true, Data: data}
	if r.schema.Fields[k].Kind == table.MediaField {
		v.Path = fmt.Sprintf("%09d.%s", at, ext)
	} else if !utf8.Valid(data) {
		return table.Value{}, &spool.Error{Op: "pack", File: r.src.Item(i).Name, Class: spool.ErrCorrupt,
			Text: r.members[k] + " is not UTF-8"}
	}
	r.memory[k] = data[:0]
	return v, nil
}

func (r *rows) close() error {
	if err := r.out.Close(); err != nil {
		return err
	}
	return r.buffer.Flush()
}
