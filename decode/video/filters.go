package video

import (
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/internal/limit"
	"github.com/spoolmedia/spool/internal/invalid"
)

// filtering applies FFmpeg's filters to each frame alone, before the conversion.
type filtering struct {
	chain av.Chain
	base  av.Ratio // seconds of a tick of the frames' times
}

// newFiltering returns the filters of a spec, and the size of the frames that they make.
func (v *Video) newFiltering(spec *Spec) (f *filtering, width, height int, err error) {
	if spec.FilterFiles && v.away != nil {
		var bad invalid.Options
		bad.Excludes(invalid.Named("FilterFiles"), invalid.Named("Isolate"), "helpers open no files")
		return nil, 0, 0, bad.Err()
	}
	f = &filtering{chain: av.Chain{Filters: spec.Filters, Files: spec.FilterFiles}, base: av.Ratio{Num: 1, Den: 1000}}
	if v.index != nil {
		f.base = av.Ratio{Num: int(v.index.Stream.Base.Num), Den: int(v.index.Stream.Base.Den)}
	}
	format, ok := av.FormatNamed(v.info.PixelFormat)
	if !ok {
		return nil, 0, 0, &spool.Error{Op: "decode", Class: spool.ErrUnsupported,
			Text: fmt.Sprintf("filters of the unknown format %q", v.info.PixelFormat)}
	}
	width, height, err = f.chain.Size(v.info.Width, v.info.Height, format)
	if err == nil {
		err = limit.Pixels(v.decoder.limits, width, height)
	}
	return f, width, height, err
}

// run returns what the filters make of a frame. It is in the workspace until the next call.
func (f *filtering) run(c *call.Call, in *av.Frame, work *workspace) (*av.Frame, error) {
	if work.filtered == nil {
		var err error
		if work.filtered, err = av.NewFrame(); err != nil {
			return nil, err
		}
	}
	return work.filtered, f.chain.Run(c, in, f.base, work.filtered)
}
