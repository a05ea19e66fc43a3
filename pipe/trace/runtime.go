package trace

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"time"
)

// runtimeTrack is the number of the track of Go's runtime, before those of stages.
const runtimeTrack = 1

// runtimePause is the time between two values of a counter.
const runtimePause = 100 * time.Millisecond

// The metrics of the runtime that a trace has as counters, with their names there.
const (
	heapMetric       = "/memory/classes/heap/objects:bytes"
	goroutinesMetric = "/sched/goroutines:goroutines"
	collectorMetric  = "/cpu/classes/gc/total:cpu-seconds"
	latencyMetric    = "/sched/latencies:seconds"
)

// goRuntime is the state of a trace's events of Go's runtime.
type goRuntime struct {
	trace   *Writer
	samples []metrics.Sample
	pauses  int64     // of the collector, that were written
	when    time.Time // of the values before
	gc      float64   // seconds of CPU time of the collector
	waits   []uint64  // of the scheduler, by bucket
	stop    chan struct{}
	stopped chan struct{}
}

// Runtime adds what Go's runtime does from now until Close: the pauses of the garbage collector as slices of a track of
// their own, and every 100 ms four counters. These are the live heap in MB, the number of goroutines and the cores
// that the collector uses. The fourth is the 99th percentile of a goroutine's wait for a core, in ms. Reading them does
// not stop the program. It is called once.
func (t *Writer) Runtime() {
	r := &goRuntime{trace: t, stop: make(chan struct{}), stopped: make(chan struct{})}
	for _, name := range []string{heapMetric, goroutinesMetric, collectorMetric, latencyMetric} {
		r.samples = append(r.samples, metrics.Sample{Name: name})
	}
	var stats debug.GCStats
	debug.ReadGCStats(&stats)
	r.pauses = stats.NumGC
	r.read()
	t.mu.Lock()
	t.runtime = r
	t.name(runtimeTrack, "Go runtime: pauses of the garbage collector")
	t.mu.Unlock()
	go r.run()
}

func (r *goRuntime) run() {
	defer close(r.stopped)
	ticker := time.NewTicker(runtimePause)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			r.write()
		case <-r.stop:
			r.write()
			return
		}
	}
}

// end writes the last values.
func (r *goRuntime) end() {
	if r != nil {
		close(r.stop)
		<-r.stopped
	}
}

// values are those of the counters since the values before.
type values struct{ heap, goroutines, cores, wait float64 }

// read returns the values of the counters.
func (r *goRuntime) read() (v values) {
	metrics.Read(r.samples)
	now := time.Now()
	for _, s := range r.samples {
		switch s.Name {
		case heapMetric:
			v.heap = float64(s.Value.Uint64()) / 1e6
		case goroutinesMetric:
			v.goroutines = float64(s.Value.Uint64())
		case collectorMetric:
			seconds := s.Value.Float64()
			v.cores = (seconds - r.gc) / max(now.Sub(r.when).Seconds(), 1e-9)
			r.gc = seconds
		case latencyMetric:
			h := s.Value.Float64Histogram()
			v.wait = 1e3 * percentile(h, r.waits)
			r.waits = append(r.waits[:0], h.Counts...)
		}
	}
	r.when = now
	return v
}

// percentile returns the 99th percentile of a histogram's counts since those before: the upper bound of its bucket.
func percentile(h *metrics.Float64Histogram, before []uint64) float64 {
	counts := slices.Clone(h.Counts)
	var all uint64
	for i := range counts {
		if i < len(before) {
			counts[i] -= before[i]
		}
		all += counts[i]
	}
	rest := all / 100
	for i, n := range slices.Backward(counts) {
		if n > rest {
			if top := h.Buckets[i+1]; !math.IsInf(top, 1) {
				return top
			}
			return h.Buckets[i]
		}
		rest -= n
	}
	return 0
}

// write writes the pauses since the last call, and the counters.
func (r *goRuntime) write() {
	var stats debug.GCStats
	debug.ReadGCStats(&stats)
	v := r.read()
	t := r.trace
	t.mu.Lock()
	defer t.mu.Unlock()
	fresh := min(stats.NumGC-r.pauses, int64(len(stats.Pause))) // the newest are first
	r.pauses = stats.NumGC
	for i := fresh - 1; i >= 0; i-- {
		t.pause(stats.PauseEnd[i].Add(-stats.Pause[i]), stats.Pause[i])
	}
	at := r.when.Sub(t.begun)
	t.counter("Go heap in MB", at, v.heap)
	t.counter("Go goroutines", at, v.goroutines)
	t.counter("Go collector in cores", at, v.cores)
	t.counter("Go scheduler p99 in ms", at, v.wait)
}

// pause writes a slice. The caller has the lock.
func (t *Writer) pause(begin time.Time, d time.Duration) {
	b := t.line[:0]
	b = append(b, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":"...)
	b = strconv.AppendInt(b, runtimeTrack, 10)
	b = append(b, `,"ts":`...)
	b = microseconds(b, begin.Sub(t.begun))
	b = append(b, `,"dur":`...)
	b = microseconds(b, d)
	b = append(b, `,"name":"GC pause"}`...)
	t.line = b
	t.write()
}

// counter writes a value. The caller has the lock.
func (t *Writer) counter(name string, at time.Duration, value float64) {
	b := t.line[:0]
	b = append(b, ",\n{\"ph\":\"C\",\"pid\":1,\"name\":"...)
	b = quoted(b, name)
	b = append(b, `,"ts":`...)
	b = microseconds(b, at)
	b = append(b, `,"args":{"value":`...)
	b = strconv.AppendFloat(b, value, 'f', 3, 64)
	b = append(b, "}}"...)
	t.line = b
	t.write()
}
