package metrics_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/observe/metrics"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/stats"
	"github.com/spoolmedia/spool/source/cache"
	"github.com/spoolmedia/spool/source/object"
)

// collected returns the metrics of a source, by name.
func collected(t testing.TB, s metrics.Source) map[string]metrics.Metric {
	t.Helper()
	named := map[string]metrics.Metric{}
	for _, m := range metrics.Collect(s).Metrics {
		require.NotContains(t, named, m.Name, "each name once")
		named[m.Name] = m
	}
	return named
}

func value(t testing.TB, m metrics.Metric, with ...metrics.Attribute) float64 {
	t.Helper()
	for _, p := range m.Points {
		if assert.ObjectsAreEqual(with, p.Attributes) {
			return p.Value
		}
	}
	require.Fail(t, "no such point", "%s %v in %v", m.Name, with, m.Points)
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
	mine := metrics.Attribute{Key: "spool.loader.name", Value: "train"}
	got := collected(t, metrics.Source{
		Report: func() stats.Report {
			return stats.Report{Elapsed: time.Minute, Stages: []stats.StageReport{stage},
				Consumer: stats.StageReport{Items: 7, WaitInS: 1.5}, Stuck: []stats.Stuck{{File: "secret.jpg"}}}
		},
		Memory:     func() map[spool.Purpose]spool.Usage { return map[spool.Purpose]spool.Usage{spool.Slab: {Bytes: 4096}} },
		Stores:     func() object.Stats { return object.Stats{Requests: 9, Hedges: 2, Throttled: 1, InFlight: 4} },
		Cache:      func() cache.Stats { return cache.Stats{Hits: 6, Misses: 3} },
		Failures:   &failures,
		Attributes: []metrics.Attribute{mine},
	})
	of := metrics.Attribute{Key: "spool.stage.name", Value: "decode"}
	for name, want := range map[string]float64{"spool.loader.samples": 5, "spool.loader.batches": 7,
		"spool.sample.stuck": 1, "spool.store.requests": 9, "spool.store.hedges": 2, "spool.store.throttled": 1,
		"spool.store.active_requests": 4} {
		assert.InDelta(t, want, value(t, got[name], mine), 0, name)
	}
	for name, want := range map[string]float64{"spool.stage.items": 5, "spool.stage.retries": 1, "spool.stage.workers": 3,
		"spool.stage.active": 2} {
		assert.InDelta(t, want, value(t, got[name], mine, of), 0, name)
	}
	assert.InDelta(t, 1.5, value(t, got["spool.consumer.wait.time"], mine), 0)
	assert.InDelta(t, 0.75, value(t, got["spool.stage.queue.fill"], mine, of), 0)
	assert.InDelta(t, 0.25, value(t, got["spool.stage.wait.time"], mine, of,
		metrics.Attribute{Key: "spool.wait.for", Value: "output"}), 0)
	assert.InDelta(t, 2, value(t, got["spool.stage.failures"], metrics.Attribute{Key: "error.type", Value: "truncated"},
		mine, of), 0)
	assert.InDelta(t, 4096, value(t, got["spool.memory.usage"], mine,
		metrics.Attribute{Key: "spool.memory.purpose", Value: "slab"}), 0)
	assert.InDelta(t, 6, value(t, got["spool.cache.lookups"], metrics.Attribute{Key: "spool.cache.result", Value: "hit"},
		mine), 0)
	h := got["spool.stage.duration"].Points[0]
	assert.EqualValues(t, 5, h.Count())
	assert.InDelta(t, 3600.004017, h.Value, 1e-9)
	for _, x := range []struct {
		below float64
		count uint64
	}{{16.384e-6, 2}, {0.0011, 3}, {0.0043, 4}, {35, 4}} {
		var n uint64
		for i, bound := range got["spool.stage.duration"].Bounds {
			if bound < x.below*1.0001 {
				n += h.Buckets[i]
			}
		}
		assert.Equal(t, x.count, n, "at most %v s", x.below)
	}
	for name, m := range got {
		assert.NotContains(t, fmt.Sprint(m), "secret", name)
	}
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
