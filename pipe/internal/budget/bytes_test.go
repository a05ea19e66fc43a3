package budget_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/pipe/internal/budget"
)

// Waiters for bytes are served in order, also if the ceiling changes or a waiter is canceled.
func TestBytes(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		b := budget.New(100)
		get := func(ctx context.Context, n int) chan *budget.Lease {
			got := make(chan *budget.Lease, 1)
			go func() {
				if lease, err := b.Get(ctx, n); err == nil {
					got <- lease
				} else {
					close(got)
				}
			}()
			synctest.Wait()
			return got
		}
		first := <-get(t.Context(), 90)
		ctx, cancel := context.WithCancel(t.Context())
		large, small := get(ctx, 50), get(t.Context(), 10)
		assert.Equal(t, 90, b.InUse(), "the small one does not overtake")
		cancel()
		synctest.Wait()
		assert.Nil(t, <-large)
		one := <-small
		assert.Equal(t, 100, b.InUse())
		whole := get(t.Context(), 150)
		b.Resize(300)
		(<-whole).Release()
		b.Resize(10)
		next := get(t.Context(), 10)
		first.Release()
		assert.Equal(t, 10, b.InUse())
		one.Release()
		(<-next).Release()
		assert.Zero(t, b.InUse())
		assert.Panics(t, first.Release)
	})
}
