package main

/*
#include "spool.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"time"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/internal/simulate"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/costs"
	"github.com/spoolmedia/spool/pipe/trace"
)

//export goLoaderOpen
func goLoaderOpen(kind *C.char, sources **C.char, n C.size_t, options *C.char, cancel C.uintptr_t, made *C.uintptr_t,
	e *C.spool_error) C.int32_t {
	return guard(e, "load", func() error {
		return withCancel(context.Background(), cancel, func(ctx context.Context) error {
			l, err := openLoader(ctx, C.GoString(kind), namesOf(sources, n), options)
			if err == nil {
				l.handoff.loader = register(l)
				*made = l.handoff.loader
			}
			return err
		})
	})
}

//export goLoaderClose
func goLoaderClose(l C.uintptr_t) {
	guard(nil, "close", func() error { return release[*spool_loader](l) })
}

//export goLoaderNext
func goLoaderNext(l C.uintptr_t, timeout C.int64_t, to *C.spool_batch, e *C.spool_error) C.int32_t {
	return guard(e, "next", func() error {
		return use(l, func(ctx context.Context, l *spool_loader) error {
			wait := time.Duration(math.MaxInt64)
			if timeout >= 0 && timeout < math.MaxInt64/C.int64_t(time.Millisecond) {
				wait = time.Duration(timeout) * time.Millisecond
			}
			d, err := l.next(ctx, wait)
			if err != nil {
				return err
			}
			d.ready.hand(to)
			return nil
		})
	})
}

//export goLoaderStart
func goLoaderStart(l C.uintptr_t, epoch C.int64_t, e *C.spool_error) C.int32_t {
	return guard(e, "start", func() error {
		return use(l, func(ctx context.Context, l *spool_loader) error {
			if err := checkEpoch(epoch); err != nil {
				return err
			}
			return l.start(ctx, int(epoch))
		})
	})
}

func checkEpoch(n C.int64_t) error {
	if n < 0 || n >= math.MaxInt32 {
		return invalid.Errorf("epoch %d", n)
	}
	return nil
}

//export goLoaderResume
func goLoaderResume(l C.uintptr_t, states *C.char, e *C.spool_error) C.int32_t {
	return guard(e, "resume", func() error {
		return use(l, func(ctx context.Context, l *spool_loader) error { return l.resume(ctx, []byte(C.GoString(states))) })
	})
}

//export goLoaderChoose
func goLoaderChoose(l C.uintptr_t, samples *C.int64_t, n C.size_t, epoch C.int64_t, alone C.int32_t,
	e *C.spool_error) C.int32_t {
	return guard(e, "choose", func() error {
		return use(l, func(ctx context.Context, l *spool_loader) error {
			if err := checkEpoch(epoch); err != nil {
				return err
			}
			if l.Streaming {
				return invalid.Errorf("sampler: a stream delivers samples in the order in which they are listed")
			}
			list := make(order.List, n)
			for i, s := range unsafe.Slice(samples, n) {
				if s < 0 || int(s) >= l.source.Len() {
					return invalid.Errorf("sampler: sample %d, at position %d, does not exist: the source has %d samples, from 0",
						s, i, l.source.Len())
				}
				list[i] = int(s)
			}
			return l.choose(ctx, func(uint64) order.Sampler { return list }, int(epoch), alone != 0)
		})
	})
}

//export goLoaderRead
func goLoaderRead(l C.uintptr_t, ids *C.int64_t, n C.size_t, epoch C.int64_t, cancel C.uintptr_t, to *C.spool_batch,
	e *C.spool_error) C.int32_t {
	return guard(e, "read", func() error {
		return use(l, func(ctx context.Context, l *spool_loader) error {
			if err := checkEpoch(epoch); err != nil {
				return err
			}
			list := make([]int, n)
			for i, id := range unsafe.Slice(ids, n) {
				list[i] = int(id)
			}
			return withCancel(ctx, cancel, func(ctx context.Context) error {
				return l.serial.do(ctx, func() error {
					b, err := l.run.Read(ctx, int(epoch), list...)
					if err != nil {
						return err
					}
					ready, err := forC(delivery{batch: b}, l.device, l.records)
					if err == nil {
						ready.hand(to)
					}
					return err
				})
			})
		})
	})
}

//export goLoaderAgain
func goLoaderAgain(l C.uintptr_t, step C.int64_t, receipts *C.char, cancel C.uintptr_t, to *C.spool_batch,
	differences **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "batch", func() error {
		return use(l, func(ctx context.Context, l *spool_loader) error {
			if step < 0 || step > math.MaxInt32 {
				return invalid.Errorf("step %d", step)
			}
			name := ""
			if receipts != nil {
				name = C.GoString(receipts)
			}
			return withCancel(ctx, cancel, func(ctx context.Context) error {
				ready, different, err := l.again(ctx, int(step), name)
				if err != nil {
					return err
				}
				if *differences, err = jsonArray(append([]string{}, different...)); err != nil {
					ready.release()
					return err
				}
				ready.hand(to)
				return nil
			})
		})
	})
}

//export goLoaderWeigh
func goLoaderWeigh(l C.uintptr_t, weights *C.double, n C.size_t, draws C.int64_t, e *C.spool_error) C.int32_t {
	return guard(e, "weigh", func() error {
		return use(l, func(ctx context.Context, l *spool_loader) error {
			if l.Streaming {
				return invalid.Errorf("weights: a stream delivers samples in the order in which they are listed")
			}
			if int(n) != l.source.Len() {
				return invalid.Errorf("weights: %d weights for %d samples: give one for each", n, l.source.Len())
			}
			if draws < 0 || draws > math.MaxInt32 {
				return invalid.Errorf("draws=%d: must be from 0 to %d", draws, math.MaxInt32)
			}
			table, err := order.NewWeights(unsafe.Slice((*float64)(weights), n))
			if err != nil {
				return invalid.Errorf("weights: %v", err)
			}
			seed, size := l.Options().Seed, int(draws)
			if size == 0 {
				size = l.source.Len()
			}
			return l.choose(ctx, func(epoch uint64) order.Sampler { return table.Sampler(size, seed, epoch) }, 0, false)
		})
	})
}

//export goLoaderBucket
func goLoaderBucket(l C.uintptr_t, lengths *C.int64_t, n C.size_t, buckets C.int64_t, e *C.spool_error) C.int32_t {
	return guard(e, "bucket", func() error {
		return use(l, func(ctx context.Context, l *spool_loader) error {
			if l.Streaming {
				return invalid.Errorf("lengths: a stream delivers samples in the order in which they are listed")
			}
			if int(n) != l.source.Len() {
				return invalid.Errorf("lengths: %d lengths for %d samples: give one for each", n, l.source.Len())
			}
			if buckets < 1 || buckets > math.MaxInt32 {
				return invalid.Errorf("buckets=%d: must be from 1 to %d", buckets, math.MaxInt32)
			}
			all := unsafe.Slice((*int64)(lengths), n)
			table := order.NewBuckets(int(n), int(buckets), func(id int) int { return int(all[id]) })
			o := l.Options()
			batch := o.Batch * max(o.Sharing.Rank.World, 1) // so that all ranks have similar lengths at the same time
			return l.choose(ctx, func(epoch uint64) order.Sampler { return table.Sampler(batch, o.Seed, epoch) }, 0, false)
		})
	})
}

//export goLoaderInfo
func goLoaderInfo(l C.uintptr_t, json **C.spool_array, e *C.spool_error) C.int32_t {
	return loaderJSON(l, json, e, (*spool_loader).info)
}

//export goLoaderReport
func goLoaderReport(l C.uintptr_t, json **C.spool_array, e *C.spool_error) C.int32_t {
	return loaderJSON(l, json, e, (*spool_loader).report)
}

//export goLoaderState
func goLoaderState(l C.uintptr_t, json **C.spool_array, e *C.spool_error) C.int32_t {
	return loaderJSON(l, json, e, (*spool_loader).currentState)
}

//export goLoaderStateBefore
func goLoaderStateBefore(l C.uintptr_t, json **C.spool_array, e *C.spool_error) C.int32_t {
	return loaderJSON(l, json, e, (*spool_loader).stateBefore)
}

// loaderJSON passes a value to C as JSON.
func loaderJSON(l C.uintptr_t, json **C.spool_array, e *C.spool_error, at func(*spool_loader) (any, error)) C.int32_t {
	return guard(e, "look", func() error {
		return use(l, func(_ context.Context, l *spool_loader) error {
			value, err := l.locked(func() (any, error) { return at(l) })
			if err == nil {
				*json, err = jsonArray(value)
			}
			return err
		})
	})
}

//export goLoaderFailures
func goLoaderFailures(l C.uintptr_t, lines **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "look", func() error {
		return use(l, func(_ context.Context, l *spool_loader) (err error) {
			*lines, err = textArray(l.ledger.read())
			return err
		})
	})
}

//export goLoaderPage
func goLoaderPage(l C.uintptr_t, path *C.char, content **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "look", func() error {
		return use(l, func(ctx context.Context, l *spool_loader) error {
			data, err := l.look(ctx, C.GoString(path))
			if err == nil {
				*content, err = textArray(data)
			}
			return err
		})
	})
}

//export goSimulate
func goSimulate(file, options *C.char, json **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "simulate", func() error {
		var with *costs.Settings
		if err := readOptions(options, func(set *settings.Set) func() {
			with = simulate.Settings(set)
			return func() {}
		}); err != nil {
			return err
		}
		predicted, err := simulate.Predict(C.GoString(file), *with)
		if err == nil {
			*json, err = jsonArray(predicted)
		}
		return err
	})
}

//export goLoaderProfile
func goLoaderProfile(l C.uintptr_t, options *C.char, cancel C.uintptr_t, json **C.spool_array,
	e *C.spool_error) C.int32_t {
	return guard(e, "profile", func() error {
		return use(l, func(ctx context.Context, l *spool_loader) error {
			var with pipe.ProfileOptions
			if err := readOptions(options, func(set *settings.Set) func() {
				defineProfile(set, &with)
				return func() {}
			}); err != nil {
				return err
			}
			return withCancel(ctx, cancel, func(ctx context.Context) error {
				made, err := l.profile(ctx, with)
				if err == nil {
					*json, err = jsonArray(made)
				}
				return err
			})
		})
	})
}

//export goLoaderTrace
func goLoaderTrace(l C.uintptr_t, file *C.char, seconds C.double, cancel C.uintptr_t, e *C.spool_error) C.int32_t {
	return guard(e, "trace", func() error {
		return use(l, func(ctx context.Context, l *spool_loader) error {
			return withCancel(ctx, cancel, func(ctx context.Context) error {
				return l.traces.record(ctx, C.GoString(file), float64(seconds))
			})
		})
	})
}

// traces are the traces of a loader: one of all its work, if that is wanted, and others of some seconds.
type traces struct {
	whole *trace.Writer // nil: none
	name  string
	tap   trace.Tap

	recording sync.Mutex // a trace of some seconds
}

// open begins the trace of all work. An empty name is none.
func (t *traces) open(name string) (err error) {
	if name == "" {
		return nil
	}
	if t.whole, err = trace.Create(name); err != nil {
		return spool.FileError("write", name, err)
	}
	t.name, t.tap.Next = name, t.whole
	return nil
}

func (t *traces) close() error {
	if t.whole == nil {
		return nil
	}
	if err := t.whole.Close(); err != nil {
		return spool.FileError("write", t.name, err)
	}
	return nil
}

// record writes a trace of some time. If ctx ends before, the trace is shorter, and ctx's error is returned.
func (t *traces) record(ctx context.Context, name string, seconds float64) error {
	const most = 24 * 60 * 60
	if !(seconds > 0 && seconds <= most) {
		return fmt.Errorf("%w: seconds must be above 0, and at most %d", spool.ErrOptions, most)
	}
	if !t.recording.TryLock() {
		return fmt.Errorf("%w: %w", spool.ErrOptions, trace.ErrRecording)
	}
	defer t.recording.Unlock()
	file, err := os.Create(name)
	if err != nil {
		return spool.FileError("write", name, err)
	}
	within, cancel := context.WithTimeout(ctx, time.Duration(seconds*float64(time.Second)))
	defer cancel()
	if err = errors.Join(t.tap.Record(within, file), file.Close()); err != nil {
		return spool.FileError("write", name, err)
	}
	return ctx.Err()
}
