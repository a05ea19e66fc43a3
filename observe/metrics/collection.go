package metrics

import (
	"maps"
	"math/bits"
	"slices"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/pipe/stats"
	"github.com/spoolmedia/spool/source/cache"
	"github.com/spoolmedia/spool/source/object"
)

// The keys of attributes. error.type is that of OpenTelemetry's semantic conventions.
const (
	stageName    = attribute.Key("spool.stage.name")
	errorType    = attribute.Key("error.type")
	memoryUse    = attribute.Key("spool.memory.purpose")
	cacheOutcome = attribute.Key("spool.cache.result")
	waitFor      = attribute.Key("spool.wait.for")
)

// collection is the metrics of one moment.
type collection struct {
	start, now time.Time
	common     []attribute.KeyValue
	all        []metricdata.Metrics
}

// point is a value with its attributes.
type point[N int64 | float64] struct {
	value N
	with  []attribute.KeyValue
}

// points returns the data points of values.
func points[N int64 | float64](c *collection, values []point[N]) (all []metricdata.DataPoint[N]) {
	for _, v := range values {
		all = append(all, metricdata.DataPoint[N]{Attributes: c.attributes(v.with), StartTime: c.start, Time: c.now,
			Value: v.value})
	}
	return all
}

func (c *collection) attributes(with []attribute.KeyValue) attribute.Set {
	return attribute.NewSet(slices.Concat(c.common, with)...)
}

// add adds a metric, unless it has no value.
func (c *collection) add(name, unit, help string, data metricdata.Aggregation) {
	c.all = append(c.all, metricdata.Metrics{Name: name, Unit: unit, Description: help, Data: data})
}

// counter adds a sum that only grows.
func counter[N int64 | float64](c *collection, name, unit, help string, values ...point[N]) {
	if len(values) > 0 {
		c.add(name, unit, help, metricdata.Sum[N]{DataPoints: points(c, values),
			Temporality: metricdata.CumulativeTemporality, IsMonotonic: true})
	}
}

// gauge adds a value of the moment.
func gauge[N int64 | float64](c *collection, name, unit, help string, values ...point[N]) {
	if len(values) > 0 {
		c.add(name, unit, help, metricdata.Gauge[N]{DataPoints: points(c, values)})
	}
}

// number returns a value without attributes of its own.
func number[N int64 | float64](value N) point[N] { return point[N]{value: value} }

// report adds what the stages and the consumer do.
func (c *collection) report(r stats.Report) {
	c.start = c.now.Add(-r.Elapsed)
	if n := len(r.Stages); n > 0 {
		counter(c, "spool.loader.samples", "{sample}", "Samples that were put into batches.", number(r.Stages[n-1].Items))
	}
	counter(c, "spool.loader.batches", "{batch}", "Batches that the consumer took.", number(r.Consumer.Items))
	counter(c, "spool.consumer.wait.time", "s", "Time in which the consumer waited for batches.",
		number(r.Consumer.WaitInS))
	counter(c, "spool.consumer.work.time", "s", "Time in which the consumer was at work.", number(r.Consumer.WorkS))
	gauge(c, "spool.sample.stuck", "{sample}", "Samples that are in one step for longer than the watch allows.",
		number(int64(len(r.Stuck))))
	ofStages(c, r.Stages, counter[int64], "spool.stage.items", "{item}", "Items done without failure.",
		func(s stats.StageReport) int64 { return s.Items })
	ofStages(c, r.Stages, counter[int64], "spool.stage.retries", "{attempt}", "Attempts for items after the first.",
		func(s stats.StageReport) int64 { return s.Retries })
	ofStages(c, r.Stages, gauge[int64], "spool.stage.workers", "{worker}", "Workers of the stage.",
		func(s stats.StageReport) int64 { return int64(s.Workers) })
	ofStages(c, r.Stages, gauge[int64], "spool.stage.active", "{worker}", "Workers that have an item.",
		func(s stats.StageReport) int64 { return int64(s.AtWork) })
	ofStages(c, r.Stages, counter[float64], "spool.stage.work.time", "s", "Time of all workers at work.",
		func(s stats.StageReport) float64 { return s.WorkS })
	ofStages(c, r.Stages, counter[float64], "spool.stage.worker.time", "s", "Time of all workers, at work or not.",
		func(s stats.StageReport) float64 { return s.StaffS })
	ofStages(c, r.Stages, gauge[float64], "spool.stage.occupancy", "1", "Share of the workers' time at work so far.",
		func(s stats.StageReport) float64 { return s.Occupancy })
	ofStages(c, r.Stages, gauge[float64], "spool.stage.queue.fill", "1",
		"How full the next stage found the queue of results so far.",
		func(s stats.StageReport) float64 { return s.Queue })
	var waits []point[float64]
	var times []metricdata.HistogramDataPoint[float64]
	for _, s := range r.Stages {
		waits = append(waits,
			point[float64]{s.WaitInS, []attribute.KeyValue{stageName.String(s.Name), waitFor.String("input")}},
			point[float64]{s.WaitOutS, []attribute.KeyValue{stageName.String(s.Name), waitFor.String("output")}})
		if s.Service != nil {
			times = append(times, c.histogram(s.Service, stageName.String(s.Name)))
		}
	}
	counter(c, "spool.stage.wait.time", "s", "Time in which workers waited for items, or for room for results.",
		waits...)
	c.add("spool.stage.duration", "s", "Time of one worker for one item.", metricdata.Histogram[float64]{DataPoints: times,
		Temporality: metricdata.CumulativeTemporality})
}

// ofStages adds a metric with a value for each stage.
func ofStages[N int64 | float64](c *collection, stages []stats.StageReport,
	add func(*collection, string, string, string, ...point[N]), name, unit, help string,
	value func(stats.StageReport) N) {
	var values []point[N]
	for _, s := range stages {
		values = append(values, point[N]{value(s), []attribute.KeyValue{stageName.String(s.Name)}})
	}
	add(c, name, unit, help, values...)
}

// The bounds of histograms are powers of two, in nanoseconds, as bounds of stats.Histogram are: 16 us to 34 s.
const firstBound, lastBound = 14, 35

// histogram returns a stage's service times.
func (c *collection) histogram(h *stats.Histogram, stage attribute.KeyValue) metricdata.HistogramDataPoint[float64] {
	d := metricdata.HistogramDataPoint[float64]{Attributes: c.attributes([]attribute.KeyValue{stage}), StartTime: c.start,
		Time: c.now, Count: uint64(h.Count()), Sum: h.Sum().Seconds()}
	for power := firstBound; power <= lastBound; power++ {
		d.Bounds = append(d.Bounds, time.Duration(1<<power).Seconds())
	}
	d.BucketCounts = make([]uint64, len(d.Bounds)+1)
	for b := range h.Buckets() {
		power := bits.Len64(uint64(b.To - 1)) // the bucket ends at this power of two, or before it
		d.BucketCounts[min(max(power-firstBound, 0), len(d.Bounds))] += uint64(b.Count)
	}
	return d
}

// failures adds the failures by stage and class.
func (c *collection) failures(counts map[Failure]int64) {
	var values []point[int64]
	for _, f := range slices.SortedFunc(maps.Keys(counts), Failure.compare) {
		values = append(values, point[int64]{counts[f],
			[]attribute.KeyValue{stageName.String(f.Stage), errorType.String(f.Class)}})
	}
	counter(c, "spool.stage.failures", "{item}", "Items that failed, by the class of the error.", values...)
}

// memory adds the bytes of pools.
func (c *collection) memory(use map[spool.Purpose]spool.Usage) {
	var values []point[int64]
	for _, purpose := range slices.Sorted(maps.Keys(use)) {
		values = append(values, point[int64]{use[purpose].Bytes, []attribute.KeyValue{memoryUse.String(purpose.String())}})
	}
	gauge(c, "spool.memory.usage", "By", "Memory of buffers in use, by purpose.", values...)
}

// stores adds the requests to stores.
func (c *collection) stores(s object.Stats) {
	counter(c, "spool.store.requests", "{request}", "Requests sent, with retries and hedges.", number(s.Requests))
	counter(c, "spool.store.received", "By", "Bytes received.", number(s.Bytes))
	counter(c, "spool.store.retries", "{request}", "Requests repeated after a failure.", number(s.Retries))
	counter(c, "spool.store.hedges", "{request}", "Second requests because an answer was late.", number(s.Hedges))
	counter(c, "spool.store.hedges.won", "{request}", "Hedges that were answered first.", number(s.HedgesWon))
	counter(c, "spool.store.throttled", "{response}", "Answers that asked for fewer requests, and timeouts.",
		number(s.Throttled))
	gauge(c, "spool.store.active_requests", "{request}", "Requests in flight.", number(int64(s.InFlight)))
	gauge(c, "spool.store.request.limit", "{request}", "How many requests may be in flight.", number(int64(s.Limit)))
}

// cache adds the disk cache.
func (c *collection) cache(s cache.Stats) {
	counter(c, "spool.cache.lookups", "{lookup}", "Lookups in the disk cache.",
		point[int64]{s.Hits, []attribute.KeyValue{cacheOutcome.String("hit")}},
		point[int64]{s.Misses, []attribute.KeyValue{cacheOutcome.String("miss")}})
	counter(c, "spool.cache.evictions", "{entry}", "Entries removed to make room.", number(s.Evicted))
	gauge(c, "spool.cache.usage", "By", "Disk space of all entries.", number(s.Bytes))
}
