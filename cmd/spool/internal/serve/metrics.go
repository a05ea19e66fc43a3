package serve

import (
	"net/http"
	"os"

	"github.com/spoolmedia/spool/observe/metrics"
)

// Metrics says where metrics of a run go: to an address for scrapes, to a collector, to both, or nowhere, as its zero
// value does.
type Metrics struct {
	address  string
	exporter *metrics.Exporter
}

// MetricsHelp describes the values of Set.
const MetricsHelp = "serve metrics for Prometheus at this address, of this machine alone without a HOST; otlp: send them " +
	"as the OTEL_ variables say"

// Set adds [HOST]:PORT, an address for scrapes, or otlp, the collector in the environment.
func (m *Metrics) Set(text string) (err error) {
	if text == "otlp" {
		m.exporter, err = metrics.FromEnvironment(os.Getenv)
		return err
	}
	m.address, err = Address(text)
	return err
}

// Start serves and exports until Close. It calls failed as Exporter.Run does.
func (m Metrics) Start(of metrics.Source, failed func(error)) (*Metering, error) {
	r := &Metering{}
	if m.address != "" {
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", metrics.Handler(of))
		server, err := Start(m.address, mux)
		if err != nil {
			return nil, err
		}
		r.server, r.URL = server, server.URL()+"metrics"
	}
	if m.exporter != nil {
		r.end = m.exporter.Start(of, failed)
	}
	return r, nil
}

// Metering serves and exports metrics.
type Metering struct {
	URL string // of the metrics; empty: they are not served

	server *Server // nil: none
	end    func()  // of exports; nil: there are none
}

// Close exports for the last time, and ends the server.
func (r *Metering) Close() error {
	if r.end != nil {
		r.end()
	}
	if r.server == nil {
		return nil
	}
	return r.server.Close()
}
