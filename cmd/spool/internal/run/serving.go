package run

import (
	"context"
	"net/http"
	"os"
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

// serving is what a run tells others while it goes on.
type serving struct {
	metrics, live string            // addresses; empty: none
	exporter      *metrics.Exporter // nil: none
	failures      metrics.Failures
}

// define adds the flags.
func (s *serving) define(f *cli.Flags) {
	f.Add("metrics", "[HOST]:PORT", "", "serve metrics for Prometheus at this address, of this machine alone without a "+
		"HOST; otlp: send them as the OTEL_ variables say; may be repeated", func(text string) (err error) {
		if text == "otlp" {
			s.exporter, err = metrics.FromEnvironment(os.Getenv)
			return err
		}
		s.metrics, err = serve.Address(text)
		return err
	})
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
	if s.metrics != "" {
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", metrics.Handler(of))
		if err := h.serve(s.metrics, "metrics at ", "metrics", mux); err != nil {
			return err
		}
	}
	if s.exporter != nil {
		h.export(s.exporter, of)
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

// export sends metrics until the resources are closed, and once more then. Failures are told, but do not end the run.
func (h *resources) export(e *metrics.Exporter, of metrics.Source) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.Run(ctx, func() metrics.Collection { return metrics.Collect(of) }, func(err error) {
			if err == nil {
				h.bad.Console.Line("spool: metrics are sent again")
			} else {
				h.bad.Console.Line("spool: " + err.Error())
			}
		})
	}()
	h.ends = append(h.ends, func() error {
		cancel()
		<-ended
		return nil
	})
}
