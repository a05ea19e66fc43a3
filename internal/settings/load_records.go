package settings

import (
	"context"
	"strings"

	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/source"
)

// LoadRecords defines the settings of a loader of records.
func (s *Set) LoadRecords() *Load {
	var (
		l = &Load{kind: source.Images}
		o loader.RecordOptions
	)
	var (
		views   int
		columns []string
	)
	unread := s.Fields(&l.schema)
	s.Number("views", &views, "0", 0, "views of the image fields that do not set theirs")
	s.Add("columns", "NAME,...", "", "columns of tables that batches have beside the fields, with their types",
		func(text string) error { columns = strings.Split(text, ","); return nil })
	s.JPEG(&o.JPEG)
	s.IndexDir(&l.indexes)
	l.define(s, "records")
	l.complete = func() {
		for i, f := range l.schema {
			if k, ok := f.Kind.(record.Image); ok && k.Views == 0 {
				k.Views = views
				l.schema[i].Kind = k
			}
		}
		l.schema = append(l.schema, record.Columns(columns...)...)
		o.Schema = l.schema
		if l.Streaming {
			s.Refuse("--streaming is for images, video and audio: the inputs of records need all names")
		}
	}
	l.list = func(ctx context.Context, sources []string, with source.Options) (source.Source, error) {
		inputs, _ := o.Schema.Inputs()
		return opened(source.OpenRecords(ctx, sources, inputs, with))
	}
	l.validate = func(with loader.Options) error {
		o.Options = with
		checked := o
		if unread() { // a schema that lacks a field has further problems, which end with the first one
			checked.Schema = record.Schema{{Name: "unread", Kind: record.Number{}}}
		}
		return checked.Validate()
	}
	l.load = func(src source.Source, with loader.Options) (*loader.Loader, error) {
		o.Options = with
		return loader.Records(src.(source.RecordSource), o)
	}
	return l
}

// Schema returns the fields of a loader of records.
func (l *Load) Schema() record.Schema { return l.schema }
