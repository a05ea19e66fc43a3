// Package metrics has what a loader or a pipeline does as metrics: for Prometheus, for collectors of OpenTelemetry, and
// for programs. docs/metrics.md lists them. Package observe/metrics/otel has them for OpenTelemetry's SDK.
//
// Loaders count always, so metrics cost nothing between two collections:
//
//	var failures metrics.Failures
//	ld, err := loader.Images(src, loader.ImageOptions{Options: loader.Options{
//		Failures: loader.Failures{Ledger: &failures}}})
//	...
//	http.Handle("GET /metrics", metrics.Handler(metrics.Source{
//		Report: ld.Report, Memory: ld.Memory, Failures: &failures}))
//
// No metric has the name of a file, or an error's text, as an attribute. The values of all attributes are words of
// spool: names of stages, classes of errors, and purposes of memory.
package metrics

import (
	"time"

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
	Attributes []Attribute
}

// Collection is the metrics of one moment. Each name is there once.
type Collection struct {
	Time    time.Time
	Metrics []Metric
}

// Collect returns the metrics of this moment. Sources need different attributes.
func Collect(sources ...Source) Collection {
	c := collection{now: time.Now(), at: map[string]int{}}
	for _, s := range sources {
		c.source(s)
	}
	return Collection{Time: c.now, Metrics: c.all}
}
