package loader_test

import (
	"context"
	"fmt"
	"io/fs"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/stats"
)

// unreliable is a source of dots. Opening one of them fails a few times, or takes until its context ends.
type unreliable struct {
	dots
	broken, hangs int // the numbers of these samples
	failures      int // of broken, before it succeeds

	mu    sync.Mutex
	opens map[int]int
}

func (u *unreliable) Open(ctx context.Context, i int) (spool.Object, error) {
	u.mu.Lock()
	u.opens[i]++
	n := u.opens[i]
	u.mu.Unlock()
	switch {
	case i == u.broken && n <= u.failures:
		return nil, &fs.PathError{Op: "open", Path: fmt.Sprint(i), Err: syscall.EIO}
	case i == u.hangs:
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return u.dots.Open(ctx, i)
}

// A sample whose file cannot be read at first is read again, and one that hangs is bad after its deadline. A watch
// names it meanwhile. The consumer's pauses count for no sample.
func TestStalls(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		src := &unreliable{dots: dots{n: 64}, broken: 3, hangs: 40, failures: 2, opens: map[int]int{}}
		var (
			bad  pipe.MemoryLedger
			told []stats.Stuck
		)
		ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(1), Options: loader.Options{Batch: 8, Workers: 2,
			Failures: loader.Failures{Ledger: &bad},
			Stalls: loader.Stalls{Deadline: 20 * time.Second, Attempts: 3, Watch: pipe.Watch{After: 10 * time.Second,
				Tell: func(s stats.Stuck) { told = append(told, s) }}}}})
		require.NoError(t, err)
		during := make(chan []stats.Stuck, 1)
		time.AfterFunc(15*time.Second, func() { during <- ld.Report().Stuck })
		ids, err := drain(t, ld, func(b *batch.Batch) (ids []int64) {
			time.Sleep(short.Of(time.Minute, 25*time.Second)) //nolint:forbidigo // of the bubble
			for _, s := range b.Samples {
				ids = append(ids, s.ID)
			}
			return ids
		})
		require.NoError(t, err)
		var all []int64
		for _, batch := range ids {
			all = append(all, batch...)
		}
		src.dots.bad = map[int]bool{40: true}
		assert.Equal(t, src.good(), all, "sample 3 is there, 40 is not")
		assert.Equal(t, map[int]int{3: 3, 40: 3, 5: 1}, map[int]int{3: src.opens[3], 40: src.opens[40], 5: src.opens[5]})
		require.Len(t, bad.Failures(), 1)
		f := bad.Failures()[0]
		assert.Equal(t, []any{"40", "locate", "timeout", "not done after 20s", 3},
			[]any{f.ID, f.Stage, f.Class, f.Text, f.Attempts})
		assert.ErrorIs(t, f.Err, spool.ErrTimeout)
		require.NotEmpty(t, told)
		for _, s := range append(told, <-during...) {
			assert.Equal(t, []string{"40", "40", "locate"}, []string{s.ID, s.File, s.Stage})
			assert.GreaterOrEqual(t, s.For, 10*time.Second)
		}
	})
}

// Settings that make no sense are all reported.
func TestStallsAreValidated(t *testing.T) {
	o := loader.ImageOptions{Spec: spec(1), Options: loader.Options{Stalls: loader.Stalls{Deadline: -1, Attempts: -1,
		Watch: pipe.Watch{After: -1}}}}
	err := o.Validate()
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, name := range []string{"Stalls.Deadline", "Stalls.Attempts", "Stalls.Watch.After"} {
		assert.ErrorContains(t, err, name)
	}
}
