package main

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spoolmedia/spool/pipe/stats"
)

// setup is a data set and the ranks that load it.
type setup struct {
	samples, shards, ranks, node int
	batch, cores                 int
	link                         float64 // Gbit/s of a node
	bytes                        float64 // mean of a sample
	latency, decode              time.Duration
}

// check returns an error for values that make no sense.
func (s setup) check(simulated int) error {
	switch {
	case min(s.samples, s.shards, s.ranks, s.node, s.batch, s.cores) < 1 || s.link <= 0 || s.bytes < 1 || s.latency < 0 ||
		s.decode < 0:
		return errors.New("numbers must be above 0")
	case simulated < 2*s.batch:
		return errors.New("each rank has to load two batches")
	}
	return nil
}

// rank returns a rank with the loader's defaults.
func (s setup) rank() rank {
	const files, first = 512, 64 // Fetching.Files, and object.Options.InFlight
	return rank{batch: s.batch, cores: s.cores, files: files, requests: stats.Requests{First: first, Max: files},
		latency: s.latency, link: s.link * 1e9 / 8 / float64(s.node), bytes: s.bytes, decode: s.decode, spread: 0.3}
}

// all are the results of all ranks, sorted.
type all struct {
	firsts []time.Duration
	rates  []float64
}

// simulate simulates all ranks.
func (s setup) simulate(n int) all {
	a := all{make([]time.Duration, s.ranks), make([]float64, s.ranks)}
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var work sync.WaitGroup
	for i := range s.ranks {
		slots <- struct{}{}
		work.Go(func() {
			a.firsts[i], a.rates[i] = s.rank().simulate(uint64(i), n)
			<-slots
		})
	}
	work.Wait()
	slices.Sort(a.firsts)
	slices.Sort(a.rates)
	return a
}

// report returns the tables of docs/scale.md.
func (s setup) report(n int) string {
	var b strings.Builder
	a := s.simulate(n)
	slowest := a.rates[0]
	total := slowest * float64(s.ranks) // a step waits for the slowest rank
	bits := 8 * total * s.bytes / 1e9
	first := func(at int) float64 { return a.firsts[at].Seconds() }
	fmt.Fprintf(&b, "| %d ranks, each sample a request | |\n|---|--:|\n", s.ranks)
	row := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "| %s | "+format+" |\n", append([]any{what}, args...)...)
	}
	row("first batch: fastest, median and slowest rank", "%.2f, %.2f and %.2f s", first(0), first(s.ranks/2),
		first(s.ranks-1))
	row("samples a second: slowest and fastest rank", "%.0f and %.0f", slowest, a.rates[s.ranks-1])
	row("of all ranks, which wait for the slowest", "%.2f million", total/1e6)
	row("share of the links", "%.0f %%", 100*bits/(s.link*float64((s.ranks+s.node-1)/s.node)))
	row("an epoch", "%.0f min", float64(s.samples)/total/60)
	row("requests a second to the store", "%.2f million", total/1e6)
	row("requests in flight: a rank, and all", "%.0f and %.0f", slowest*s.latency.Seconds(), total*s.latency.Seconds())
	const most = 256 << 20 // Fetching.Memory
	row("bytes of samples in flight of a rank, at most", "%.0f MB", min(float64(s.rank().files)*s.bytes, most)/1e6)
	s.listing(row)
	b.WriteString("\n| class of storage | prefixes needed | an epoch, USD | of this, bytes | " +
		"if each shard is one request, USD |\n|---|--:|--:|--:|--:|\n")
	for _, c := range classes {
		bytes := float64(s.samples) * s.bytes / 1e9 * c.perGigabyte
		fmt.Fprintf(&b, "| %s | %.0f | %.0f | %.0f | %.2f |\n", c.name, math.Ceil(total/c.perSecond),
			float64(s.samples)/1e6*c.perMillion+bytes, bytes, float64(s.shards)/1e6*c.perMillion+bytes)
	}
	return b.String()
}

// rowBytes are those of a row of a table with names of 35 bytes and places in shards.
const rowBytes = 80

// listing reports what it takes to know all samples.
func (s setup) listing(row func(what, format string, args ...any)) {
	table := float64(s.samples) * rowBytes
	row("the table of all samples, copied to a node", "%.0f GB in %.0f s", table/1e9, 8*table/(s.link*1e9))
	const together = 16 // shards whose indexes are read at a time
	trip := rank{batch: 1, cores: 1, files: together, latency: s.latency, link: 1e12, spread: 0.3}
	trips := trip.model(1, s.shards)
	took := trips.Simulate(s.shards).Elapsed
	row("without a table: a request for each shard, whose indexes are in a folder", "%.0f s", took.Seconds())
}
