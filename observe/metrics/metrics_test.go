package metrics_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/observe/metrics"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/stats"
	"github.com/spoolmedia/spool/source/cache"
	"github.com/spoolmedia/spool/source/object"
)

// collected returns the metrics that a reader of the SDK gets, by name.
func collected(t testing.TB, s metrics.Source) map[string]metricdata.Metrics {
	t.Helper()
	reader := metric.NewManualReader(metric.WithProducer(metrics.New(s)))
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	defer func() { require.NoError(t, provider.Shutdown(context.Background())) }()
	var all metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &all))
	named := map[string]metricdata.Metrics{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			require.NotContains(t, named, m.Name, "each name once")
			named[m.Name] = m
		}
	}
	return named
}

func sum[N int64 | float64](t testing.TB, m metricdata.Metrics, with ...attribute.KeyValue) N {
	t.Helper()
	var points []metricdata.DataPoint[N]
	switch d := m.Data.(type) {
	case metricdata.Sum[N]:
		assert.True(t, d.IsMonotonic)
		points = d.DataPoints
	case metricdata.Gauge[N]:
		points = d.DataPoints
	}
	for _, p := range points {
		if p.Attributes == attribute.NewSet(with...) {
			return p.Value
		}
	}
	require.Fail(t, "no such point", "%s %v in %v", m.Name, with, points)
	return 0
}

// The figures of a report come out as they are, with the attributes of the source.
func TestMetrics(t *testing.T) {
	var service stats.Histogram
	for _, d := range []time.Duration{time.Microsecond, 16 * time.Microsecond, time.Millisecond, 3 * time.Millisecond,
		time.Hour} {
		service.Add(d)
	}
	stage := stats.StageReport{Name: "decode", Workers: 3, AtWork: 2, Items: 5, Retries: 1, WaitInS: 0.5, WaitOutS: 0.25,
		WorkS: 2, StaffS: 3, Queue: 0.75}
	stage.Describe(&service)
	var failures metrics.Failures
	for range 2 {
		require.NoError(t, failures.Add(pipe.Failure{Stage: "decode", Class: "truncated", File: "secret.jpg"}))
	}
	mine := attribute.String("spool.loader.name", "train")
	got := collected(t, metrics.Source{
		Report: func() stats.Report {
			return stats.Report{Elapsed: time.Minute, Stages: []stats.StageReport{stage},
				Consumer: stats.StageReport{Items: 7, WaitInS: 1.5}, Stuck: []stats.Stuck{{File: "secret.jpg"}}}
		},
		Memory:     func() map[spool.Purpose]spool.Usage { return map[spool.Purpose]spool.Usage{spool.Slab: {Bytes: 4096}} },
		Stores:     func() object.Stats { return object.Stats{Requests: 9, Hedges: 2, Throttled: 1, InFlight: 4} },
		Cache:      func() cache.Stats { return cache.Stats{Hits: 6, Misses: 3} },
		Failures:   &failures,
		Attributes: []attribute.KeyValue{mine},
	})
	of := attribute.String("spool.stage.name", "decode")
	for name, want := range map[string]int64{"spool.loader.samples": 5, "spool.loader.batches": 7,
		"spool.sample.stuck": 1, "spool.store.requests": 9, "spool.store.hedges": 2, "spool.store.throttled": 1,
		"spool.store.active_requests": 4} {
		assert.Equal(t, want, sum[int64](t, got[name], mine), name)
	}
	for name, want := range map[string]int64{"spool.stage.items": 5, "spool.stage.retries": 1, "spool.stage.workers": 3,
		"spool.stage.active": 2} {
		assert.Equal(t, want, sum[int64](t, got[name], mine, of), name)
	}
	assert.InDelta(t, 1.5, sum[float64](t, got["spool.consumer.wait.time"], mine), 0)
	assert.InDelta(t, 0.75, sum[float64](t, got["spool.stage.queue.fill"], mine, of), 0)
	assert.InDelta(t, 0.25, sum[float64](t, got["spool.stage.wait.time"], mine, of,
		attribute.String("spool.wait.for", "output")), 0)
	assert.EqualValues(t, 2, sum[int64](t, got["spool.stage.failures"], mine, of,
		attribute.String("error.type", "truncated")))
	assert.EqualValues(t, 4096, sum[int64](t, got["spool.memory.usage"], mine,
		attribute.String("spool.memory.purpose", "slab")))
	assert.EqualValues(t, 6, sum[int64](t, got["spool.cache.lookups"], mine,
		attribute.String("spool.cache.result", "hit")))
	h := got["spool.stage.duration"].Data.(metricdata.Histogram[float64]).DataPoints[0]
	assert.EqualValues(t, 5, h.Count)
	assert.InDelta(t, 3600.004017, h.Sum, 1e-9)
	for _, x := range []struct {
		below float64
		count uint64
	}{{16.384e-6, 2}, {0.0011, 3}, {0.0043, 4}, {35, 4}} {
		var n uint64
		for i, bound := range h.Bounds {
			if bound < x.below*1.0001 {
				n += h.BucketCounts[i]
			}
		}
		assert.Equal(t, x.count, n, "at most %v s", x.below)
	}
	for name, m := range got {
		assert.NotContains(t, metricText(m), "secret", name)
	}
}

// metricText returns the attributes of all points of a metric.
func metricText(m metricdata.Metrics) (text string) {
	switch d := m.Data.(type) {
	case metricdata.Sum[int64]:
		text = pointText(d.DataPoints)
	case metricdata.Sum[float64]:
		text = pointText(d.DataPoints)
	case metricdata.Gauge[int64]:
		text = pointText(d.DataPoints)
	case metricdata.Gauge[float64]:
		text = pointText(d.DataPoints)
	case metricdata.Histogram[float64]:
		for _, p := range d.DataPoints {
			text += p.Attributes.Encoded(attribute.DefaultEncoder()) + "\n"
		}
	}
	return text
}

func pointText[N int64 | float64](points []metricdata.DataPoint[N]) (text string) {
	for _, p := range points {
		text += p.Attributes.Encoded(attribute.DefaultEncoder()) + "\n"
	}
	return text
}

// A source without functions has no metrics.
func TestNoMetrics(t *testing.T) {
	assert.Empty(t, collected(t, metrics.Source{}))
}

type full struct{}

func (full) Add(pipe.Failure) error { return errors.New("disk full") }

// A ledger behind the counts gets each failure, and its error is passed on.
func TestFailuresAreAlsoRecorded(t *testing.T) {
	var all pipe.MemoryLedger
	f := metrics.Failures{Ledger: &all}
	require.NoError(t, f.Add(pipe.Failure{Stage: "fetch", Class: "io"}))
	assert.Len(t, all.Failures(), 1)
	assert.Equal(t, map[metrics.Failure]int64{{Stage: "fetch", Class: "io"}: 1}, f.Counts())
	f.Ledger = full{}
	assert.ErrorContains(t, f.Add(pipe.Failure{}), "disk full")
}
