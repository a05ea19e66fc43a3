package pipe_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/pipe"
)

// crowd counts calls that run at the same time.
type crowd struct {
	mu        sync.Mutex
	now, most int
}

// wait is a stage's function that takes a millisecond of simulated time.
func (c *crowd) wait(_ context.Context, n int) (int, error) {
	c.enter()
	time.Sleep(time.Millisecond)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now--
	return n, nil
}

func (c *crowd) enter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now++
	c.most = max(c.most, c.now)
}

// seen returns the most calls at a time so far.
func (c *crowd) seen() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.most
}

func TestOtherWorkersBeginWithTheFirstResult(t *testing.T) {
	for _, test := range []struct {
		name         string
		first, items int
		begin, later int // the most calls at a time before the first result, and after it
	}{
		{"two of eight", 2, 64, 2, 8},
		{"all, by default", 0, 64, 8, 8},
		{"more than there are", 9, 64, 8, 8},
		{"the input ends before the first result", 2, 4, 2, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble.Test(t, func(t *testing.T) {
				var c crowd
				p := pipe.New(pipe.Options{})
				flow := pipe.Batch(pipe.Map(pipe.FromSeq(p, "count", count(test.items)), "wait",
					pipe.Stage{Workers: 8, FirstWorkers: test.first}, c.wait), "batch", pipe.Stage{}, 8)
				var got []int
				for batch, err := range flow.All(t.Context()) {
					require.NoError(t, err)
					if got == nil {
						assert.Equal(t, test.begin, c.seen(), "before the first result")
					}
					got = append(got, batch...)
				}
				assert.Equal(t, test.later, c.seen())
				assert.Equal(t, slices.Collect(count(test.items)), got)
			})
		})
	}
}

func TestAllWorkersBeginWithoutALoop(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		var c crowd
		p := pipe.New(pipe.Options{})
		pipe.To(pipe.Map(pipe.FromSeq(p, "count", count(64)), "wait", pipe.Stage{Workers: 8, FirstWorkers: 2}, c.wait),
			"drop", pipe.Stage{}, func(context.Context, int) error { return nil })
		require.NoError(t, p.Run(t.Context()))
		assert.Equal(t, 8, c.seen())
	})
}

func TestFirstWorkersOfAuto(t *testing.T) {
	p := pipe.New(pipe.Options{})
	flow := pipe.Map(pipe.FromSeq(p, "count", count(1)), "map", pipe.Stage{Workers: pipe.Auto, FirstWorkers: 1}, same)
	_, err := collect(t.Context(), t, flow)
	require.ErrorIs(t, err, pipe.ErrOptions)
	assert.ErrorContains(t, err, `"map": FirstWorkers is not for Workers: Auto`)
}
