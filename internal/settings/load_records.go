package settings

import (
	"cmp"
	"context"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// LoadRecords defines the settings of a loader of records.
func (s *Set) LoadRecords() *Load {
	var (
		l     = &Load{kind: source.Images}
		o     loader.RecordOptions
		views int
	)
	var columns []string
	var images string
	unread := s.Fields(&l.schema)
	s.Number("views", &views, "0", 0, "views of the image fields that do not set theirs")
	s.form(&o.Form)
	s.Add("columns", "NAME,...", "", "columns of tables that batches have beside the fields, with their types",
		func(text string) error { columns = strings.Split(text, ","); return nil })
	s.Text("images", &images, "DIR", "of a file of COCO's annotations: the folder or URL of its images; by default a "+
		"folder near the file")
	s.Robot(&l.robot)
	l.windows.define(s)
	s.JPEG(&o.JPEG)
	s.Isolate(&l.common.Isolate)
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
		sizes(l.schema, o.Form)
		o.Schema = l.schema
		l.robot.judge(s, l.sources, len(l.schema) > 0)
		if l.robot.infers {
			o.Schema = unknown
		}
		l.windows.judge(s, o.Schema, len(l.schema) > 0)
		if l.Streaming && o.Form.Kind == loader.FormBucket {
			s.Refuse("--streaming excludes --form=bucket: a state must find the samples that wait in buckets again")
		}
	}
	l.list = func(ctx context.Context, sources []string, with source.Options) (source.Source, error) {
		with.Formats[".json"] = annotations(images)
		if set, err := l.robot.open(ctx, s, sources, with.Remote); set != nil || err != nil {
			if err != nil {
				return nil, err
			}
			if l.Streaming {
				return nil, Problems{"--streaming: the rows of a LeRobot data set need no listing"}
			}
			if l.robot.infers {
				l.schema = record.LeRobotSchema(set, l.robot.camera)
				o.Schema = l.schema
			}
			return opened(set.Records(o.Schema.Inputs()))
		}
		if l.Streaming {
			return opened(source.OpenRecordStream(ctx, sources, o.Schema.Inputs(), with))
		}
		return opened(source.OpenRecords(ctx, sources, o.Schema.Inputs(), with))
	}
	l.makes(&o.Options, func() error {
		checked := o
		if unread() { // a schema that lacks a field has further problems, which end with the first one
			checked.Schema = record.Schema{{Name: "unread", Kind: record.Number{}}}
		}
		return checked.Validate()
	}, func(src source.Source) (*loader.Loader, error) { return loader.Records(src.(source.RecordSource), o) })
	return l
}

// unknown stands for the fields of a data set that has not been opened.
var unknown = record.Schema{{Name: "index", Kind: record.Number{DType: spool.Int64}}}

// Schema returns the fields of a loader of records. Those that follow from a LeRobot data set are known after List.
func (l *Load) Schema() record.Schema { return l.schema }

// form defines the settings for the form of batches.
func (s *Set) form(f *loader.Form) {
	Choice(s, "form", &f.Kind, "dense", "batches of images of different sizes. dense: all have one size; pad: padded to "+
		"the largest; ragged: one after the other, without padding; bucket: each batch has one of several sizes; budget: "+
		"as many as --budget-pixels or --budget-tokens allow; patches: squares of --patch pixels, the tokens of "+
		"transformers", map[string]loader.FormKind{"dense": loader.FormDense, "pad": loader.FormPad,
		"ragged": loader.FormRagged, "bucket": loader.FormBucket, "budget": loader.FormBudget,
		"patches": loader.FormPatches})
	s.Number("form-multiple", &f.Multiple, "0", 0,
		"the sides of padded batches and of the default buckets are multiples of N; 0: 1, and 16 for buckets")
	s.Add("form-fill", "F", "0", "value of the padding of images, in their type", func(text string) (err error) {
		if f.Fill, err = strconv.ParseFloat(text, 64); err != nil || math.IsInf(f.Fill, 0) || math.IsNaN(f.Fill) {
			return errors.New("must be a number")
		}
		return nil
	})
	s.Bytes("form-memory", &f.Memory,
		"memory for decoded samples that wait for their batch, and for batches; by default 4GiB")
	s.Add("buckets", "WxH,...", "", "sizes of --form=bucket; by default eleven aspect ratios with the area of the image "+
		"field's size", func(text string) error {
		f.Buckets = nil
		for word := range strings.SplitSeq(text, ",") {
			w, h, err := parseSquare(word)
			if err != nil {
				return err
			}
			f.Buckets = append(f.Buckets, loader.Size{Width: w, Height: h})
		}
		return nil
	})
	s.Text("bucket-field", &f.Field, "NAME", "the image field that has the size of the bucket; the first by default")
	s.Add("bucket-lengths", "N,N,...", "", "of --form=bucket: buckets by the length of the first clip or audio field "+
		"without a length, in frames or samples", func(text string) error {
		list, err := parseInts(text)
		if err != nil {
			return errors.New("must be numbers like 4000,8000")
		}
		f.Lengths = list
		return nil
	})
	s.Number("budget-frames", &f.ClipFrames, "0", 0, "most frames of all clips of a batch of --form=budget")
	s.Number("budget-samples", &f.AudioSamples, "0", 0,
		"most audio samples of one channel of a batch of --form=budget")
	s.Number("budget-pixels", &f.Pixels, "0", 0, "most pixels of a batch of --form=budget, padding included")
	s.Number("budget-tokens", &f.Tokens, "0", 0, "most tokens of a batch of --form=budget or patches")
	s.Number("patch", &f.Patch, "0", 0, "side of a patch, which is a token, in pixels; 0: 16")
	s.Number("patch-merge", &f.Merge, "0", 0, "order patches by squares of NxN, which a model merges; 0: by rows")
	s.Number("patch-frames", &f.Frames, "0", 0, "repeat the pixels of each patch, for models of video; 0: 1")
	s.Boolean("budget-ragged", &f.Ragged, false, "batches of --form=budget are like those of ragged, and not padded")
}

// sizes gives image fields without a size the default of dense batches and buckets. With other forms they keep their
// own, and with patches nearly so.
func sizes(schema record.Schema, f loader.Form) {
	dense := f.Kind == loader.FormDense || f.Kind == loader.FormBucket
	for i, field := range schema {
		k, ok := field.Kind.(record.Image)
		r := &k.Spec.Resize
		if !ok || r.Width != 0 || r.Shorter != 0 || r.MaxSize != 0 || r.CropWidth != 0 {
			continue
		}
		switch {
		case dense && r.Snap == (resize.Snap{}):
			r.Width, r.Height = 224, 224
		case f.Kind == loader.FormPatches && r.Snap.Multiple == 0:
			r.Snap.Multiple = cmp.Or(f.Patch, 16) * max(f.Merge, 1)
		}
		schema[i].Kind = k
	}
}
