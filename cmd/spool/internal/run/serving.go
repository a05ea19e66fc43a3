package run

import (
	"context"
	"net/http"
	"time"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/page"
	"github.com/spoolmedia/spool/cmd/spool/internal/serve"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/proc"
	"github.com/spoolmedia/spool/internal/tally"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/observe/metrics"
)

// serving is what a run serves while it goes on.
type serving struct {
	metrics, live string // addresses; empty: none
	failures      metrics.Failures
}

// define adds the flags.
func (s *serving) define(f *cli.Flags) {
	for _, x := range []struct {
		name, help string
		to         *string
	}{
		{"metrics", "serve metrics for Prometheus at this address, of this machine alone without a HOST", &s.metrics},
		{"serve", "serve a page about the run as it goes on, of this machine alone without a HOST", &s.live},
	} {
		f.Add(x.name, "[HOST]:PORT", "", x.help, func(text string) (err error) {
			*x.to, err = serve.Address(text)
			return err
		})
	}
}

// begin starts the servers, which the resources close.
func (s *serving) begin(r *run, h *resources, ld *loader.Loader) error {
	if s.metrics != "" {
		of := metrics.Source{Report: ld.Report, Memory: ld.Memory, Stores: h.remote.Stats, Failures: &s.failures}
		if h.disk != nil {
			of.Cache = h.disk.Stats
		}
		handler, err := serve.Metrics(of)
		if err == nil {
			err = h.serve(s.metrics, "metrics at ", "metrics", handler)
		}
		if err != nil {
			return err
		}
	}
	if s.live == "" {
		return nil
	}
	d, err := decoders.New(decoders.Options{})
	if err != nil {
		return err
	}
	h.ends = append(h.ends, d.Close)
	live := &serve.Live{Title: page.Title(r.arguments), Report: ld.Report, Memory: ld.Memory, Failures: h.bad.First,
		Process: func() (time.Duration, int64) {
			_, resident, _ := proc.Memory() // 0 if unknown
			return proc.CPUTime(), resident
		},
		Remote: func() *tally.Remote { return tally.RemoteOf(h.remote.Stats()) },
		Thumbnail: func(ctx context.Context, id string) []byte {
			return page.Thumbnail(ctx, d, h.source, id)
		}}
	return h.serve(s.live, "page at ", "", live.Handler())
}

// serve starts a server, and prints where it is.
func (h *resources) serve(address, what, path string, handler http.Handler) error {
	server, err := serve.Start(address, handler)
	if err != nil {
		return err
	}
	h.ends = append(h.ends, server.Close)
	h.bad.Console.Line("spool: " + what + server.URL() + path)
	return nil
}
