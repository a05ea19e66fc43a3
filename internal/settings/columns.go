package settings

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
	"github.com/spoolmedia/spool/source/predicate"
)

// Columns are the columns of tables that a call names.
type Columns struct {
	label  string
	labels []int64
	ignore []string
	where  string
}

// Columns defines the settings of c.
func (s *Set) Columns(c *Columns) {
	s.Text("label", &c.label, "COLUMN",
		"the column of tables that holds the labels; by default the first of label, target, cls, class, class_name and "+
			"category that exists")
	s.Add("labels", "N,...", "", "a label for each source, in their order; each source is then one file",
		func(text string) (err error) {
			words := strings.Split(text, ",")
			c.labels = make([]int64, len(words))
			for i, word := range words {
				if c.labels[i], err = strconv.ParseInt(word, 10, 64); err != nil {
					return fmt.Errorf("%q is no integer", word)
				}
			}
			return nil
		})
	s.Add("ignore-columns", "NAME,...", "",
		"columns of tables, and extensions of tar members, that are left unused without a message; * stands for all unused "+
			"ones", func(text string) error {
			c.ignore = strings.Split(text, ",")
			return nil
		})
	s.Add("where", "CONDITION", "",
		"load the rows of tables whose columns fulfil a condition, like \"width >= 256 and lang == 'en'\"",
		func(text string) error {
			_, err := predicate.Parse(text)
			c.where = text
			return err
		})
}

// options returns the options of a listing. indexes is the folder of saved indexes.
func (c *Columns) options(kind source.Medium, indexes string, remote source.Remote) source.Options {
	return source.Options{Medium: kind, AllowEmpty: true, Formats: Manifests(), Sets: Sets(), Remote: remote,
		Indexes: indexes, Label: c.label, Labels: c.labels, Ignore: c.ignore, Where: c.where}
}

// Notices returns what a source reports about content that is not loaded, one line each.
func Notices(src source.Source) []string {
	if s, ok := src.(interface{ Notices() []string }); ok {
		return s.Notices()
	}
	return nil
}

// Listing is the settings of a listing that is not loaded.
type Listing struct {
	Stores object.Options

	kind    source.Medium
	indexes string
	columns Columns
}

// Listing defines the settings of l.
func (s *Set) Listing(l *Listing) {
	Choice(s, "kind", &l.kind, "images", "which files of folders are listed",
		map[string]source.Medium{"images": source.Images, "video": source.Videos, "audio": source.Audio})
	s.IndexDir(&l.indexes)
	s.Columns(&l.columns)
	s.Stores(&l.Stores)
}

// Open lists the sources.
func (l *Listing) Open(ctx context.Context, sources []string, remote source.Remote) (*source.Listing, error) {
	return source.Open(ctx, sources, l.columns.options(l.kind, l.indexes, remote))
}

// OpenRecords lists the sources as records with these inputs.
func (l *Listing) OpenRecords(ctx context.Context, sources []string, inputs []source.Input,
	remote source.Remote) (*source.Records, error) {
	o := l.columns.options(l.kind, l.indexes, remote)
	o.Segments = true
	return source.OpenRecords(ctx, sources, inputs, o)
}
