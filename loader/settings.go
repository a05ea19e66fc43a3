package loader

import (
	"fmt"
	"math"
	"runtime"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/source"
)

// settings are what the options of all media have in common; ImageOptions says what they mean.
type settings struct {
	batch          int
	workers        int
	epochs         int
	shuffle        bool
	seed           uint64
	limit          int
	order          batch.Order
	last           batch.Last
	onError        Policy
	maxFailures    int
	maxFailureRate float64
	ledger         pipe.Ledger
	prefetch       int

	fetchers int                   // files that are read at a time: a few keep the decoders fed while one waits for the disk
	reorder  func(workers int) int // decoded samples that may wait for a slow one in front of them
}

func (s *settings) setDefaults() {
	for _, x := range []struct {
		field *int
		value int
	}{{&s.batch, 32}, {&s.workers, runtime.NumCPU()}, {&s.epochs, 1}, {&s.prefetch, 2}} {
		if *x.field == 0 {
			*x.field = x.value
		}
	}
}

// problems are what is wrong with options, each as spool.ErrOptions.
type problems []error

func (p *problems) add(format string, args ...any) {
	*p = append(*p, fmt.Errorf("%w: "+format, append([]any{spool.ErrOptions}, args...)...))
}

// check adds what is wrong with the settings.
func (s settings) check(p *problems) {
	for _, x := range []struct {
		name  string
		value int
	}{{"batch", s.batch}, {"workers", s.workers}, {"epochs", s.epochs}, {"limit", s.limit}, {"prefetch", s.prefetch}, {"max failures", s.maxFailures}} {
		if x.value < 0 {
			p.add("%s %d is negative", x.name, x.value)
		}
	}
	if !(s.maxFailureRate >= 0 && s.maxFailureRate < 1) {
		p.add("max failure rate %v is not in [0, 1)", s.maxFailureRate)
	}
	if s.order > batch.Any {
		p.add("order %d", s.order)
	}
	if s.last > batch.Pad {
		p.add("last-batch policy %d", s.last)
	}
	if s.onError > Placeholder {
		p.add("error policy %d", s.onError)
	}
}

// samples is how many samples an epoch has.
func (s settings) samples(src source.Source) int {
	if n := src.Len(); s.limit == 0 || n < s.limit {
		return n
	}
	return s.limit
}

// failurePolicy and stageOrder are pipe's words for OnError and Order.
func (s settings) failurePolicy() pipe.Policy {
	if s.onError == Fail {
		return pipe.Fail
	}
	return pipe.Skip
}

func (s settings) stageOrder() pipe.Order {
	if s.order == batch.Any {
		return pipe.AsCompleted
	}
	return pipe.Ordered
}

// slabCount is how many batches there may be at a time: one that the consumer holds, those that wait for
// it, and those that the samples under way span, begun and not complete.
func (s settings) slabCount() int {
	underway := 4*s.fetchers + s.workers + s.reorder(s.workers) + 8
	return 1 + s.prefetch + (underway+s.batch-1)/s.batch + 1
}

// slabMemory is the ceiling for batches, with what the pool's classes may add.
func (s settings) slabMemory(sample spool.Desc) int64 {
	n, _ := sample.Bytes()
	return int64(s.slabCount()) * (int64(s.batch+1)*int64(n)*5/4 + 1<<14)
}

// fileMemory is the ceiling for compressed bytes: room for the largest file allowed, of which a pool
// makes up to a quarter more.
func fileMemory(largest int64) int64 {
	const least, most = 1 << 30, math.MaxInt64
	return max(least, largest+min(largest/4, most-largest))
}
