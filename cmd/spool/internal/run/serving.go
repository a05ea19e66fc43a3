package run

import (
	"context"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/page"
	"github.com/spoolmedia/spool/cmd/spool/internal/serve"
	"github.com/spoolmedia/spool/internal/contactsheet"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/live"
	"github.com/spoolmedia/spool/internal/tally"
	"github.com/spoolmedia/spool/internal/thumbnail"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/observe/metrics"
)

// serving is what a run tells others while it goes on.
type serving struct {
	metrics  serve.Metrics
	live     string // address; empty: none
	failures metrics.Failures
	viewers  *contactsheet.Viewers // of the page; nil: none
}

// define adds the flags.
func (s *serving) define(f *cli.Flags) {
	f.Add("metrics", "[HOST]:PORT", "", serve.MetricsHelp+"; may be repeated", s.metrics.Set)
	f.Add("serve", "[HOST]:PORT", "", "serve a page about the run as it goes on, of this machine alone without a HOST",
		func(text string) (err error) {
			s.live, err = serve.Address(text)
			return err
		})
}

// begin starts the servers and the export, which the resources end.
func (s *serving) begin(r *run, h *resources, ld *loader.Loader) error {
	of := metrics.Source{Report: ld.Report, Memory: ld.Memory, Stores: h.remote.Stats, Failures: &s.failures}
	if h.disk != nil {
		of.Cache = h.disk.Stats
	}
	metering, err := s.metrics.Start(of, func(err error) {
		if err == nil {
			h.bad.Console.Line("spool: metrics are sent again")
		} else {
			h.bad.Console.Line("spool: " + err.Error())
		}
	})
	if err != nil {
		return err
	}
	h.ends = append(h.ends, metering.Close)
	if metering.URL != "" {
		h.bad.Console.Line("spool: metrics at " + metering.URL)
	}
	if s.live == "" {
		return nil
	}
	d, err := decoders.New(decoders.Options{})
	if err != nil {
		return err
	}
	h.ends = append(h.ends, d.Close)
	shown := &live.Live{Title: page.Title(r.arguments), Report: ld.Report, Memory: ld.Memory, Failures: h.bad.Recent.List,
		Traces: true,
		Remote: func() *tally.Remote { return tally.RemoteOf(h.remote.Stats()) },
		Thumbnail: func(ctx context.Context, id string) []byte {
			return thumbnail.Of(ctx, d, h.source, id)
		}}
	if r.pictures && contactsheet.Takes(r.Frame) {
		s.viewers = contactsheet.NewViewers(r.Schema())
		shown.Sheet = s.viewers.Next
	}
	server, err := serve.Start(s.live, serve.Page(shown, &r.trace.tap))
	if err != nil {
		return err
	}
	h.ends = append(h.ends, server.Close)
	h.bad.Console.Line("spool: page at " + server.URL())
	return nil
}
