package settings

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/source"
)

// LoadRecords defines the settings of a loader of records.
func (s *Set) LoadRecords() *Load {
	var (
		l     = &Load{kind: source.Images}
		o     loader.RecordOptions
		views int
	)
	s.Fields(&l.schema)
	s.Number("views", &views, "0", 0, "views of the image fields that do not set theirs")
	s.Robot(&l.robot)
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
		o.Schema = l.schema
		l.robot.judge(s, l.sources, len(l.schema) > 0)
		if l.robot.infers {
			o.Schema = unknown
		}
		if l.Streaming {
			s.Refuse("--streaming is for images, video and audio: the inputs of records need all names")
		}
	}
	l.list = func(ctx context.Context, sources []string, with source.Options) (source.Source, error) {
		if set, err := l.robot.open(ctx, s, sources, with.Remote); set != nil || err != nil {
			if err != nil {
				return nil, err
			}
			if l.robot.infers {
				l.schema = record.LeRobotSchema(set, l.robot.camera)
				o.Schema = l.schema
			}
			return opened(set.Records(o.Schema.Inputs()))
		}
		return opened(source.OpenRecords(ctx, sources, o.Schema.Inputs(), with))
	}
	l.validate = func(with loader.Options) error {
		o.Options = with
		return o.Validate()
	}
	l.load = func(src source.Source, with loader.Options) (*loader.Loader, error) {
		o.Options = with
		return loader.Records(src.(source.RecordSource), o)
	}
	return l
}

// unknown stands for the fields of a data set that has not been opened.
var unknown = record.Schema{{Name: "index", Kind: record.Number{DType: spool.Int64}}}

// Schema returns the fields of a loader of records. Those that follow from a LeRobot data set are known after List.
func (l *Load) Schema() record.Schema { return l.schema }
