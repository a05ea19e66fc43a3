package serve

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/spoolmedia/spool/observe/metrics"
)

// Metrics returns what answers the scrapes of a Prometheus at /metrics, with the metrics of the process beside those of
// the run.
func Metrics(of metrics.Source) (http.Handler, error) {
	registry := prometheus.NewRegistry()
	if err := registry.Register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})); err != nil {
		return nil, err
	}
	reader, err := exporter.New(exporter.WithRegisterer(registry), exporter.WithoutScopeInfo(),
		exporter.WithoutTargetInfo(), exporter.WithProducer(metrics.New(of)))
	if err != nil {
		return nil, err
	}
	metric.NewMeterProvider(metric.WithReader(reader), metric.WithResource(resource.Empty()))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{Registry: registry}))
	return mux, nil
}
