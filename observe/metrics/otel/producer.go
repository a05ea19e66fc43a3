// Package otel has the metrics of package observe/metrics for OpenTelemetry's Go SDK.
//
// A [Producer] belongs to a reader of the SDK, which asks it at each collection:
//
//	exporter, err := prometheus.New(prometheus.WithProducer(otel.New(metrics.Source{
//		Report: ld.Report, Memory: ld.Memory, Failures: &failures})))
package otel

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/spoolmedia/spool/observe/metrics"
)

// Producer makes the metrics of loaders. It implements metric.Producer of OpenTelemetry's SDK, and is safe for
// concurrent use.
type Producer struct{ sources []metrics.Source }

// New returns a producer. Several sources need different attributes.
func New(sources ...metrics.Source) *Producer { return &Producer{sources} }

// Produce returns the metrics of this moment. It never fails.
func (p *Producer) Produce(context.Context) ([]metricdata.ScopeMetrics, error) {
	c := metrics.Collect(p.sources...)
	all := make([]metricdata.Metrics, len(c.Metrics))
	for i, m := range c.Metrics {
		all[i] = metricdata.Metrics{Name: m.Name, Unit: m.Unit, Description: m.Help}
		switch {
		case m.Kind == metrics.Histogram:
			all[i].Data = histogram(c, m)
		case m.Whole:
			all[i].Data = aggregation[int64](c, m)
		default:
			all[i].Data = aggregation[float64](c, m)
		}
	}
	return []metricdata.ScopeMetrics{{Scope: instrumentation.Scope{Name: metrics.Scope}, Metrics: all}}, nil
}

func aggregation[N int64 | float64](c metrics.Collection, m metrics.Metric) metricdata.Aggregation {
	points := make([]metricdata.DataPoint[N], len(m.Points))
	for i, p := range m.Points {
		points[i] = metricdata.DataPoint[N]{Attributes: set(p), StartTime: p.Start, Time: c.Time, Value: N(p.Value)}
	}
	if m.Kind == metrics.Gauge {
		return metricdata.Gauge[N]{DataPoints: points}
	}
	return metricdata.Sum[N]{DataPoints: points, Temporality: metricdata.CumulativeTemporality, IsMonotonic: true}
}

func histogram(c metrics.Collection, m metrics.Metric) metricdata.Aggregation {
	points := make([]metricdata.HistogramDataPoint[float64], len(m.Points))
	for i, p := range m.Points {
		points[i] = metricdata.HistogramDataPoint[float64]{Attributes: set(p), StartTime: p.Start, Time: c.Time,
			Count: p.Count(), Sum: p.Value, Bounds: m.Bounds, BucketCounts: p.Buckets}
	}
	return metricdata.Histogram[float64]{DataPoints: points, Temporality: metricdata.CumulativeTemporality}
}

func set(p metrics.Point) attribute.Set {
	all := make([]attribute.KeyValue, len(p.Attributes))
	for i, a := range p.Attributes {
		all[i] = attribute.String(a.Key, a.Value)
	}
	return attribute.NewSet(all...)
}
