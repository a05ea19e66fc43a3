// Package metrics exports what a loader or a pipeline does as OpenTelemetry metrics. docs/metrics.md lists them.
//
// A [Producer] belongs to a reader of OpenTelemetry's SDK, which asks it at each collection. Loaders count always, so
// metrics cost nothing between two collections:
//
//	var failures metrics.Failures
//	ld, err := loader.Images(src, loader.ImageOptions{Options: loader.Options{
//		Failures: loader.Failures{Ledger: &failures}}})
//	...
//	exporter, err := prometheus.New(prometheus.WithProducer(metrics.New(metrics.Source{
//		Report: ld.Report, Memory: ld.Memory, Failures: &failures})))
//
// No metric has the name of a file, or an error's text, as an attribute. The values of all attributes are words of
// spool: names of stages, classes of errors, and purposes of memory.
package metrics

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/pipe/stats"
	"github.com/spoolmedia/spool/source/cache"
	"github.com/spoolmedia/spool/source/object"
)

// Scope is the name of the instrumentation.
const Scope = "github.com/spoolmedia/spool"

// Source is where the figures of a loader or a pipeline come from. Functions may be nil, and are called at each
// collection, also after the end of a run. All of them are safe for concurrent use in the packages that have them.
type Source struct {
	Report   func() stats.Report                  // Loader.Report, or Pipeline.Report
	Memory   func() map[spool.Purpose]spool.Usage // Loader.Memory
	Stores   func() object.Stats                  // Client.Stats
	Cache    func() cache.Stats                   // Folder.Stats
	Failures *Failures                            // the ledger of the loader

	// Attributes are added to all metrics, for programs with several loaders, like spool.loader.name.
	Attributes []attribute.KeyValue
}

// Producer makes the metrics of a loader. It implements metric.Producer of OpenTelemetry's SDK, and is safe for
// concurrent use.
type Producer struct{ source Source }

// New returns a producer.
func New(s Source) *Producer { return &Producer{s} }

// Produce returns the metrics of this moment. It never fails.
func (p *Producer) Produce(context.Context) ([]metricdata.ScopeMetrics, error) {
	c := collection{now: time.Now(), common: p.source.Attributes}
	c.start = c.now
	if p.source.Report != nil {
		c.report(p.source.Report())
	}
	if p.source.Failures != nil {
		c.failures(p.source.Failures.Counts())
	}
	if p.source.Memory != nil {
		c.memory(p.source.Memory())
	}
	if p.source.Stores != nil {
		c.stores(p.source.Stores())
	}
	if p.source.Cache != nil {
		c.cache(p.source.Cache())
	}
	return []metricdata.ScopeMetrics{{Scope: instrumentation.Scope{Name: Scope}, Metrics: c.all}}, nil
}
