package pipe_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/pipe"
)

// Replace decides for each failed item: another result in its place, in order, no result, or the end of the run.
func TestReplace(t *testing.T) {
	for _, policy := range []pipe.Policy{pipe.Skip, pipe.Fail} {
		for _, workers := range []int{1, 4} {
			var lines strings.Builder
			p := pipe.New(pipe.Options{OnFailure: policy, Ledger: pipe.NewJSONLedger(&lines),
				Replace: func(_ context.Context, x any, f *pipe.Failure) any {
					switch n := x.(int); n {
					case 3:
						f.Action = pipe.ActionPlaceholder
						return "three"
					case 6:
						f.Action = pipe.ActionSkip
					case 9:
						f.Action, f.Err = pipe.ActionFail, fmt.Errorf("nine: %w", f.Err)
					}
					return nil
				}})
			flow := pipe.Map(pipe.FromSeq(p, "count", count(20)), "tear",
				pipe.Stage{Workers: workers, Retry: pipe.Retry{Attempts: 2, Backoff: 1, If: func(error) bool { return true }}},
				func(_ context.Context, n int) (string, error) {
					if n > 0 && n%3 == 0 {
						return "", errTorn
					}
					return fmt.Sprint(n), nil
				})
			got, err := collect(t.Context(), t, flow)
			require.ErrorIs(t, err, errTorn)
			assert.EqualError(t, err, "tear: 9: nine: torn")
			assert.Equal(t, []string{"0", "1", "2", "three", "4", "5", "7", "8"}, got)
			if workers == 1 {
				assert.Equal(t, `{"id":"3","file":"","stage":"tear","class":"error","text":"torn","attempts":2,"action":"placeholder"}
{"id":"6","file":"","stage":"tear","class":"error","text":"torn","attempts":2,"action":"skip"}
{"id":"9","file":"","stage":"tear","class":"error","text":"nine: torn","attempts":2,"action":"fail"}
`, lines.String())
				tear := p.Report().Stages[1]
				assert.EqualValues(t, 3, tear.Failures)
				assert.EqualValues(t, 7, tear.Items, "what is replaced has failed all the same")
				assert.Equal(t, tear.In, tear.Items+tear.Failures+tear.Dropped)
			}
		}
	}
}

// Replaced items count as failures.
func TestReplacedItemsAreFailures(t *testing.T) {
	p := pipe.New(pipe.Options{OnFailure: pipe.Skip, MaxFailures: 3,
		Replace: func(context.Context, any, *pipe.Failure) any { return 0 }})
	flow := pipe.Map(pipe.FromSeq(p, "count", count(1_000_000)), "tear", pipe.Stage{}, tear(1))
	results, err := collect(t.Context(), t, flow)
	require.ErrorIs(t, err, pipe.ErrTooManyFailures)
	assert.LessOrEqual(t, len(results), 4)
}

// A failed item of a FlatMap has one replacement, after its earlier results.
func TestReplaceInAFlatMap(t *testing.T) {
	for _, s := range []pipe.Stage{{}, {Workers: 3}} {
		p := pipe.New(pipe.Options{OnFailure: pipe.Skip, Replace: func(_ context.Context, x any, _ *pipe.Failure) any {
			if n := x.(int); n == 2 {
				return "instead"
			}
			return nil
		}})
		flow := pipe.FlatMap(pipe.FromSeq(p, "count", count(4)), "parts", s,
			func(_ context.Context, n int) iter.Seq2[string, error] {
				return func(yield func(string, error) bool) {
					if yield(fmt.Sprint(n, "a"), nil) && n > 0 {
						yield("", errTorn)
					}
				}
			})
		got, err := collect(t.Context(), t, flow)
		require.NoError(t, err)
		assert.Equal(t, []string{"0a", "1a", "2a", "instead", "3a"}, got)
		assert.EqualValues(t, 3, p.Report().Failures)
	}
}

// A panic of Replace is added to its item's failure. A result of a wrong type ends the run. Neither loses an item.
func TestReplaceThatIsWrong(t *testing.T) {
	s := &stock{}
	other := s.make(0)
	ledger := &pipe.MemoryLedger{}
	p := pipe.New(pipe.Options{OnFailure: pipe.Skip, Ledger: ledger,
		Replace: func(_ context.Context, x any, _ *pipe.Failure) any {
			i := x.(*item)
			if i.n == 1 {
				panic("none left")
			}
			i.Release()
			return other
		}})
	items := pipe.FromSeq(p, "count",
		func(yield func(*item) bool) { _ = yield(s.make(1)) && yield(s.make(2)) && yield(s.make(3)) })
	got, err := collect(t.Context(), t,
		pipe.Map(items, "tear", pipe.Stage{}, func(context.Context, *item) (int, error) { return 0, errTorn }))
	require.ErrorIs(t, err, pipe.ErrOptions)
	require.EqualError(t, err, `pipe: invalid options: stage "tear" has results of type int, and Replace gave a *pipe_test.item`)
	assert.Empty(t, got)
	s.checkReleased(t)
	f := ledger.Failures()[0]
	assert.Equal(t, "panic", f.Class)
	require.ErrorIs(t, f.Err, errTorn)
	assert.Equal(t, pipe.ActionSkip, f.Action)
}

// Stages whose results are not the caller's items, such as collectors, do not call Replace.
func TestReplaceIsNotAskedForACollector(t *testing.T) {
	s, ledger := &stock{}, &pipe.MemoryLedger{}
	p := pipe.New(pipe.Options{OnFailure: pipe.Skip, Ledger: ledger,
		Replace: func(context.Context, any, *pipe.Failure) any { panic("asked") }})
	items := pipe.FromSeq(p, "count", func(yield func(*item) bool) { _ = yield(s.make(40)) && yield(s.make(1)) })
	for c, err := range pipe.Collate(items, "crates", pipe.Stage{}, &crates{size: 1}).All(t.Context()) {
		require.NoError(t, err)
		assert.Equal(t, 1, c.items[0].n)
		c.Release()
	}
	s.checkReleased(t)
	require.Len(t, ledger.Failures(), 1)
	assert.Equal(t, "does not fit", ledger.Failures()[0].Text)
}
