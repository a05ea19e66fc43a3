package pipe_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/pipe"
)

// parts yields n%4 results of an item n, each after a millisecond. The item is released first.
func parts(s *stock) func(context.Context, *item) iter.Seq2[*item, error] {
	return func(ctx context.Context, i *item) iter.Seq2[*item, error] {
		n := i.n
		i.Release()
		return func(yield func(*item, error) bool) {
			for part := range n % 4 {
				select {
				case <-time.After(time.Millisecond):
				case <-ctx.Done():
					yield(nil, ctx.Err())
					return
				}
				if !yield(s.make(10*n+part), nil) {
					return
				}
			}
		}
	}
}

func TestFlatMap(t *testing.T) {
	for _, workers := range []int{1, 5} {
		bubble.Test(t, func(t *testing.T) {
			s := &stock{}
			p := pipe.New(pipe.Options{})
			items := pipe.FromSeq(p, "count", s.upTo(100))
			flow := pipe.FlatMap(items, "parts", pipe.Stage{Workers: workers, AsCompleted: true}, parts(s))
			var got []int
			for i, err := range flow.All(t.Context()) {
				require.NoError(t, err)
				got = append(got, i.n)
				i.Release()
			}
			s.checkReleased(t)
			var want []int
			for n := range 100 {
				for part := range n % 4 {
					want = append(want, 10*n+part)
				}
			}
			if workers == 1 {
				assert.Equal(t, want, got)
			}
			slices.SortStableFunc(got, func(a, b int) int { return a/10 - b/10 }) // each item's results stay in order
			assert.Equal(t, want, got)
			assert.EqualValues(t, 100, p.Report().Stages[1].Items)
		})
	}
}

// The results of an item before its failure are delivered, and the run continues or ends by the policy.
func TestFlatMapFails(t *testing.T) {
	for policy, want := range map[pipe.Policy][]int{pipe.Skip: {10, 11, 20, 21, 22, 30, 31, 40, 41, 42},
		pipe.Fail: {10, 11}} {
		ledger := &pipe.MemoryLedger{}
		p := pipe.New(pipe.Options{OnFailure: policy, Ledger: ledger})
		flow := pipe.FlatMap(pipe.FromSeq(p, "count", count(5)), "parts", pipe.Stage{},
			func(_ context.Context, n int) iter.Seq2[int, error] {
				return func(yield func(int, error) bool) {
					if n == 0 || !yield(10*n, nil) || !yield(10*n+1, nil) {
						return
					}
					switch n {
					case 1:
						yield(0, errTorn)
					case 3:
						panic("three")
					default:
						yield(10*n+2, nil)
					}
				}
			})
		got, err := collect(t.Context(), t, flow)
		assert.Equal(t, want, got)
		if policy == pipe.Fail {
			require.ErrorIs(t, err, errTorn)
			continue
		}
		require.NoError(t, err)
		require.Len(t, ledger.Failures(), 2)
		assert.Equal(t, "1", ledger.Failures()[0].ID)
		assert.Equal(t, "panic: three", ledger.Failures()[1].Text)
	}
}

// However the run ends, everything is released and no goroutine remains.
func TestFlatMapStops(t *testing.T) {
	for _, breaks := range []bool{true, false} {
		bubble.Test(t, func(t *testing.T) {
			s := &stock{}
			enough := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			time.AfterFunc(50*time.Millisecond, func() { cancel(enough) })
			ledger := &pipe.MemoryLedger{}
			p := pipe.New(pipe.Options{Ledger: ledger})
			flow := pipe.FlatMap(pipe.FromSeq(p, "endless", endless(s)), "parts", pipe.Stage{Workers: 8, AsCompleted: true},
				parts(s))
			var last error
			n := 0
			for i, err := range flow.All(ctx) {
				if last = err; err != nil {
					continue
				}
				i.Release()
				if n++; breaks && n == 20 {
					break
				}
			}
			if breaks {
				require.NoError(t, last)
			} else {
				require.Equal(t, enough, last)
			}
			assert.Empty(t, ledger.Failures())
			s.checkReleased(t)
		})
	}
}

// An Ordered FlatMap has the same results with several workers as with one, and no goroutine remains when it is
// stopped.
func TestFlatMapInOrder(t *testing.T) {
	for _, wanted := range []int{1 << 30, 60} {
		bubble.Test(t, func(t *testing.T) {
			s := &stock{}
			p := pipe.New(pipe.Options{})
			items := pipe.FromSeq(p, "count", s.upTo(100))
			flow := pipe.FlatMap(items, "parts", pipe.Stage{Workers: 5, Queue: 1}, parts(s))
			start := time.Now()
			var got, want []int
			for i, err := range flow.All(t.Context()) {
				require.NoError(t, err)
				got = append(got, i.n)
				i.Release()
				if len(got) == wanted {
					break
				}
			}
			s.checkReleased(t)
			for n := range 100 {
				for part := range n % 4 {
					if len(want) < wanted {
						want = append(want, 10*n+part)
					}
				}
			}
			assert.Equal(t, want, got)
			assert.Less(t, time.Since(start), time.Duration(len(want))*time.Millisecond/2, "the workers work side by side")
		})
	}
}

// A failure that ends the run comes after all results of earlier items, even if they are slower.
func TestFlatMapInOrderFails(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		p := pipe.New(pipe.Options{OnFailure: pipe.Fail})
		flow := pipe.FlatMap(pipe.FromSeq(p, "count", count(50)), "parts", pipe.Stage{Workers: 8},
			func(_ context.Context, n int) iter.Seq2[int, error] {
				return func(yield func(int, error) bool) {
					if n < 3 {
						time.Sleep(time.Minute)
					}
					if yield(2*n, nil) && yield(2*n+1, nil) && n == 3 {
						yield(0, errTorn)
					}
				}
			})
		got, err := collect(t.Context(), t, flow)
		assert.Equal(t, slices.Collect(count(8)), got)
		require.ErrorIs(t, err, errTorn)
		assert.EqualError(t, err, "parts: 3: torn")
	})
}
