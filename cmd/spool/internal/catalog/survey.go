package catalog

import (
	"context"
	"runtime"
	"strconv"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/probe"
	"github.com/spoolmedia/spool/internal/probed"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/arrow"
)

// surveyed is what a table says of a sample besides its name.
type surveyed struct {
	size    int64 // of the file that holds it
	version string

	format        string
	width, height int64
	frames        int64
	duration      float64
	rate          float64
	channels      int64
	class         string // of the error of a file that cannot be probed
}

// survey is what a table says of all samples of a listing.
type survey struct {
	found *source.Listing
	rows  []surveyed
	bad   int // samples that cannot be probed
}

// newSurvey probes all samples, except those whose values earlier has.
func newSurvey(ctx context.Context, found *source.Listing, earlier *earlierTable) (*survey, error) {
	s := &survey{found: found, rows: make([]surveyed, found.Len())}
	workers := runtime.GOMAXPROCS(0)
	if found.Remote() {
		workers = max(workers, 64) // they wait for answers
	}
	group, running := errgroup.WithContext(ctx)
	var taken, bad atomic.Int64
	for range min(workers, found.Len()) {
		group.Go(func() error {
			for i := int(taken.Add(1)) - 1; i < len(s.rows); i = int(taken.Add(1)) - 1 {
				var err error
				if s.rows[i], err = surveySample(running, found, i, earlier); err != nil {
					return err
				}
				if s.rows[i].class != "" {
					bad.Add(1)
				}
			}
			return nil
		})
	}
	err := group.Wait()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	s.bad = int(bad.Load())
	return s, err
}

// surveySample probes a sample. A bad one is a class, and an error is that of the whole call.
func surveySample(ctx context.Context, found *source.Listing, i int, earlier *earlierTable) (s surveyed, err error) {
	placed := found.Placement(i)
	s.size, s.version = placed.Size, placed.Version
	if s.version != "" && earlier.same(ctx, placed.Name, &s) {
		return s, nil
	}
	o, err := found.Open(ctx, i)
	if err == nil {
		defer o.Close()
		info := o.Info()
		if s.version == "" && info.Path != "" { // a file by itself
			s.size, s.version = info.Size, info.Version
			if earlier.same(ctx, placed.Name, &s) {
				return s, nil
			}
		}
		var media probe.Media
		if media, err = probe.Probe(ctx, o, decode.Limits{}); err == nil {
			p := probed.Good(placed.Name, media)
			s.format, s.width, s.height, s.frames = p.Format, int64(p.Width), int64(p.Height), p.Frames
			s.duration, s.rate, s.channels = p.Duration, p.Rate, int64(p.Channels)
			return s, nil
		}
	}
	if ctx.Err() != nil || spool.ClassOf(err) == "" {
		return s, err
	}
	s.class = spool.ClassOf(err).Error()
	return s, nil
}

// columns are the columns of a table, which replace its sizes and versions.
func (s *survey) columns() []arrow.Column {
	integers := func(name string, value func(r *surveyed) int64) arrow.Column {
		return arrow.Column{Name: name, Integers: func(i int) (int64, bool) {
			v := value(&s.rows[i])
			return v, v > 0
		}}
	}
	floats := func(name string, value func(r *surveyed) float64) arrow.Column {
		return arrow.Column{Name: name, Floats: func(i int) (float64, bool) {
			v := value(&s.rows[i])
			return v, v > 0
		}}
	}
	texts := func(name string, value func(r *surveyed) string) arrow.Column {
		return arrow.Column{Name: name, Texts: func(i int) string { return value(&s.rows[i]) }}
	}
	return []arrow.Column{
		{Name: "size", Integers: func(i int) (int64, bool) { return s.rows[i].size, s.rows[i].version != "" }},
		texts("etag", func(r *surveyed) string { return r.version }),
		texts("format", func(r *surveyed) string { return r.format }),
		integers("width", func(r *surveyed) int64 { return r.width }),
		integers("height", func(r *surveyed) int64 { return r.height }),
		integers("frames", func(r *surveyed) int64 { return r.frames }),
		floats("duration", func(r *surveyed) float64 { return r.duration }),
		floats("rate", func(r *surveyed) float64 { return r.rate }),
		integers("channels", func(r *surveyed) int64 { return r.channels }),
		texts("error", func(r *surveyed) string { return r.class }),
	}
}

// number parses a cell, which is empty if there is no value.
func number(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64)
	return v
}
