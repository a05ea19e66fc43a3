package metrics

import (
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/pipe/stats"
	"github.com/spoolmedia/spool/source/cache"
	"github.com/spoolmedia/spool/source/object"
)

// The keys of attributes. error.type is that of OpenTelemetry's semantic conventions.
const (
	stageName    = "spool.stage.name"
	errorType    = "error.type"
	memoryUse    = "spool.memory.purpose"
	cacheOutcome = "spool.cache.result"
	waitFor      = "spool.wait.for"
)

// collection gathers the metrics of one moment.
type collection struct {
	start, now time.Time
	common     []Attribute // of the source
	all        []Metric
	at         map[string]int // where a name is
}

func (c *collection) source(s Source) {
	c.start, c.common = c.now, s.Attributes
	if s.Report != nil {
		c.report(s.Report())
	}
	if s.Failures != nil {
		c.failures(s.Failures.Counts())
	}
	if s.Memory != nil {
		c.memory(s.Memory())
	}
	if s.Stores != nil {
		c.stores(s.Stores())
	}
	if s.Cache != nil {
		c.cache(s.Cache())
	}
}

// add adds the points of a source to a metric. A metric without points is left out.
func (c *collection) add(m Metric, points ...Point) {
	if len(points) == 0 {
		return
	}
	i, known := c.at[m.Name]
	if !known {
		i = len(c.all)
		c.at[m.Name], c.all = i, append(c.all, m)
	}
	for _, p := range points {
		p.Attributes, p.Start = joined(slices.Concat(c.common, p.Attributes)...), c.start
		c.all[i].Points = append(c.all[i].Points, p)
	}
}

// number returns a value.
func number[N int | int64 | float64](value N, with ...Attribute) Point {
	return Point{Attributes: with, Value: float64(value)}
}

// counter adds a whole number that only grows.
func (c *collection) counter(name, unit, help string, points ...Point) {
	c.add(Metric{Name: name, Unit: unit, Help: help, Kind: Counter, Whole: true}, points...)
}

// seconds adds a time that only grows.
func (c *collection) seconds(name, help string, points ...Point) {
	c.add(Metric{Name: name, Unit: "s", Help: help, Kind: Counter}, points...)
}

// gauge adds a whole number of the moment.
func (c *collection) gauge(name, unit, help string, points ...Point) {
	c.add(Metric{Name: name, Unit: unit, Help: help, Kind: Gauge, Whole: true}, points...)
}

// ratio adds a share of the moment.
func (c *collection) ratio(name, help string, points ...Point) {
	c.add(Metric{Name: name, Unit: "1", Help: help, Kind: Gauge}, points...)
}

// report adds what the stages and the consumer do.
func (c *collection) report(r stats.Report) {
	c.start = c.now.Add(-r.Elapsed)
	if n := len(r.Stages); n > 0 {
		c.counter("spool.loader.samples", "{sample}", "Samples that were put into batches.", number(r.Stages[n-1].Items))
	}
	c.counter("spool.loader.batches", "{batch}", "Batches that the consumer took.", number(r.Consumer.Items))
	c.seconds("spool.consumer.wait.time", "Time in which the consumer waited for batches.", number(r.Consumer.WaitInS))
	c.seconds("spool.consumer.work.time", "Time in which the consumer was at work.", number(r.Consumer.WorkS))
	c.gauge("spool.sample.stuck", "{sample}", "Samples that are in one step for longer than the watch allows.",
		number(len(r.Stuck)))
	for _, s := range r.Stages {
		c.stage(s, Attribute{stageName, s.Name})
	}
}

func (c *collection) stage(s stats.StageReport, name Attribute) {
	c.counter("spool.stage.items", "{item}", "Items done without failure.", number(s.Items, name))
	c.counter("spool.stage.retries", "{attempt}", "Attempts for items after the first.", number(s.Retries, name))
	c.gauge("spool.stage.workers", "{worker}", "Workers of the stage.", number(s.Workers, name))
	c.gauge("spool.stage.active", "{worker}", "Workers that have an item.", number(s.AtWork, name))
	c.seconds("spool.stage.work.time", "Time of all workers at work.", number(s.WorkS, name))
	c.seconds("spool.stage.worker.time", "Time of all workers, at work or not.", number(s.StaffS, name))
	c.ratio("spool.stage.occupancy", "Share of the workers' time at work so far.", number(s.Occupancy, name))
	c.ratio("spool.stage.queue.fill", "How full the next stage found the queue of results so far.", number(s.Queue, name))
	c.seconds("spool.stage.wait.time", "Time in which workers waited for items, or for room for results.",
		number(s.WaitInS, name, Attribute{waitFor, "input"}), number(s.WaitOutS, name, Attribute{waitFor, "output"}))
	if s.Service != nil {
		c.add(Metric{Name: "spool.stage.duration", Unit: "s", Help: "Time of one worker for one item.", Kind: Histogram,
			Bounds: bounds()}, Point{Attributes: []Attribute{name}, Value: s.Service.Sum().Seconds(),
			Buckets: buckets(s.Service)})
	}
}

// The bounds of histograms are powers of two, in nanoseconds, as bounds of stats.Histogram are: 16 us to 34 s.
const firstBound, lastBound = 14, 35

func bounds() (all []float64) {
	for power := firstBound; power <= lastBound; power++ {
		all = append(all, time.Duration(1<<power).Seconds())
	}
	return all
}

// buckets returns the numbers of service times between the bounds.
func buckets(h *stats.Histogram) []uint64 {
	counts := make([]uint64, lastBound-firstBound+2)
	for b := range h.Buckets() {
		power := bits.Len64(uint64(b.To - 1)) // the bucket ends at this power of two, or before it
		counts[min(max(power-firstBound, 0), len(counts)-1)] += uint64(b.Count)
	}
	return counts
}

// failures adds the failures by stage and class.
func (c *collection) failures(counts map[Failure]int64) {
	for _, f := range slices.SortedFunc(maps.Keys(counts), Failure.compare) {
		c.counter("spool.stage.failures", "{item}", "Items that failed, by the class of the error.",
			number(counts[f], Attribute{stageName, f.Stage}, Attribute{errorType, f.Class}))
	}
}

// memory adds the bytes of pools.
func (c *collection) memory(use map[spool.Purpose]spool.Usage) {
	for _, purpose := range slices.Sorted(maps.Keys(use)) {
		c.gauge("spool.memory.usage", "By", "Memory of buffers in use, by purpose.",
			number(use[purpose].Bytes, Attribute{memoryUse, purpose.String()}))
	}
}

// stores adds the requests to stores.
func (c *collection) stores(s object.Stats) {
	c.counter("spool.store.requests", "{request}", "Requests sent, with retries and hedges.", number(s.Requests))
	c.counter("spool.store.received", "By", "Bytes received.", number(s.Bytes))
	c.counter("spool.store.retries", "{request}", "Requests repeated after a failure.", number(s.Retries))
	c.counter("spool.store.hedges", "{request}", "Second requests because an answer was late.", number(s.Hedges))
	c.counter("spool.store.hedges.won", "{request}", "Hedges that were answered first.", number(s.HedgesWon))
	c.counter("spool.store.throttled", "{response}", "Answers that asked for fewer requests, and timeouts.",
		number(s.Throttled))
	c.gauge("spool.store.active_requests", "{request}", "Requests in flight.", number(s.InFlight))
	c.gauge("spool.store.request.limit", "{request}", "How many requests may be in flight.", number(s.Limit))
}

// cache adds the disk cache.
func (c *collection) cache(s cache.Stats) {
	c.counter("spool.cache.lookups", "{lookup}", "Lookups in the disk cache.",
		number(s.Hits, Attribute{cacheOutcome, "hit"}), number(s.Misses, Attribute{cacheOutcome, "miss"}))
	c.counter("spool.cache.evictions", "{entry}", "Entries removed to make room.", number(s.Evicted))
	c.gauge("spool.cache.usage", "By", "Disk space of all entries.", number(s.Bytes))
}
