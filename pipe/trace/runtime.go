package trace

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"time"

	"github.com/spoolmedia/spool/internal/proc"
)

// runtimeTrack is the number of the track of Go's runtime, before those of stages.
const runtimeTrack = 1

// runtimePause is the time between two values of a counter. Reading all of them takes about a microsecond.
const runtimePause = 10 * time.Millisecond

// The metrics of the runtime that a trace has as counters, with their names there.
const (
	heapMetric      = "/memory/classes/heap/objects:bytes"
	collectorMetric = "/cpu/classes/gc/total:cpu-seconds"
	latencyMetric   = "/sched/latencies:seconds"
	runningMetric   = "/sched/goroutines/running:goroutines"
	runnableMetric  = "/sched/goroutines/runnable:goroutines"
	outsideMetric   = "/sched/goroutines/not-in-go:goroutines"
	waitingMetric   = "/sched/goroutines/waiting:goroutines"
)

// goRuntime is the state of a trace's events of Go's runtime.
type goRuntime struct {
	trace   *Writer
	samples []metrics.Sample
	pauses  int64         // of the collector, that were written
	when    time.Time     // of the values before
	gc      float64       // seconds of CPU time of the collector
	cpu     time.Duration // of the process
	waits   []uint64      // of the scheduler, by bucket
	stop    chan struct{}
	stopped chan struct{}
}

// Runtime adds what Go's runtime does from now until Close: the pauses of the garbage collector as slices of a track of
// their own, and every 10 ms counters. These are the cores that the process uses, and those that the collector uses;
// the goroutines that run, that wait for a core, that are in C or in a system call, and that wait for anything else;
// the live heap in MB; and the 99th percentile of a goroutine's wait for a core, in ms. Reading them does not stop the
// program. It is called once.
func (t *Writer) Runtime() {
	r := &goRuntime{trace: t, stop: make(chan struct{}), stopped: make(chan struct{})}
	for _, name := range []string{heapMetric, collectorMetric, latencyMetric, runningMetric, runnableMetric,
		outsideMetric, waitingMetric} {
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
type values struct {
	cores, collector, heap, wait         float64
	running, runnable, outside, sleeping float64
}

// read returns the values of the counters.
func (r *goRuntime) read() (v values) {
	metrics.Read(r.samples)
	now, cpu := time.Now(), proc.CPUTime()
	seconds := max(now.Sub(r.when).Seconds(), 1e-9)
	v.cores = (cpu - r.cpu).Seconds() / seconds
	for _, s := range r.samples {
		switch s.Name {
		case heapMetric:
			v.heap = float64(s.Value.Uint64()) / 1e6
		case collectorMetric:
			gc := s.Value.Float64()
			v.collector = (gc - r.gc) / seconds
			r.gc = gc
		case latencyMetric:
			h := s.Value.Float64Histogram()
			v.wait = 1e3 * percentile(h, r.waits)
			r.waits = append(r.waits[:0], h.Counts...)
		case runningMetric:
			v.running = float64(s.Value.Uint64())
		case runnableMetric:
			v.runnable = float64(s.Value.Uint64())
		case outsideMetric:
			v.outside = float64(s.Value.Uint64())
		case waitingMetric:
			v.sleeping = float64(s.Value.Uint64())
		}
	}
	r.cpu = cpu
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
		end := stats.PauseEnd[i]
		pause := min(stats.Pause[i], end.Sub(t.begun)) // the sum of two; the first may lie before the trace
		t.slice(runtimeTrack, end.Add(-pause), end, "GC pause")
		t.line = append(t.line, '}')
		t.write()
	}
	at := r.when.Sub(t.begun)
	t.counter("process", at, value{"cores in use", v.cores})
	t.counter("Go goroutines", at, value{"running", v.running}, value{"runnable", v.runnable},
		value{"in C or a system call", v.outside}, value{"waiting", v.sleeping})
	t.counter("Go collector", at, value{"cores", v.collector})
	t.counter("Go heap", at, value{"MB", v.heap})
	t.counter("Go scheduler", at, value{"p99 in ms", v.wait})
}

// value is a value of a counter, which may have several.
type value struct {
	name   string
	number float64
}

// counter writes the values of a counter. The caller has the lock.
func (t *Writer) counter(name string, at time.Duration, all ...value) {
	t.line = append(t.line[:0], ",\n{\"ph\":\"C\",\"pid\":1,\"name\":"...)
	b := quoted(t.line, name)
	b = append(b, `,"ts":`...)
	b = microseconds(b, at)
	b = append(b, `,"args":`...)
	for i, v := range all {
		b = append(b, "{,"[min(i, 1)])
		b = quoted(b, v.name)
		b = append(b, ':')
		b = strconv.AppendFloat(b, v.number, 'f', 3, 64)
	}
	b = append(b, "}}"...)
	t.line = b
	t.write()
}
