package pipe_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/stats"
)

// busy is an error that is worth a retry.
type busy struct{ error }

func (busy) Retryable() bool { return true }

func TestRetry(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := &stock{}
		tries := map[int]int{}
		ledger := &pipe.MemoryLedger{}
		p := pipe.New(pipe.Options{OnFailure: pipe.Skip, Ledger: ledger})
		items := pipe.Limit(pipe.FromSeq(p, "endless", endless(s)), "limit", pipe.Stage{}, 6)
		flow := pipe.Map(items, "fetch",
			pipe.Stage{Retry: pipe.Retry{Attempts: 4, Backoff: time.Second, MaxBackoff: 3 * time.Second}},
			func(_ context.Context, i *item) (*item, error) {
				assert.Zero(t, i.released.Load(), "a failed item stays as it is")
				tries[i.n]++
				switch {
				case i.n == 1 && tries[1] < 3, i.n == 2:
					return nil, errors.Join(errors.New("503"), busy{errTorn})
				case i.n == 3:
					return nil, errTorn
				case i.n == 4:
					panic(busy{errTorn})
				}
				return i, nil
			})
		start := time.Now()
		var got []int
		for i, err := range flow.All(t.Context()) {
			require.NoError(t, err)
			got = append(got, i.n)
			i.Release()
		}
		assert.Equal(t, []int{0, 1, 5}, got)
		assert.Equal(t, map[int]int{0: 1, 1: 3, 2: 4, 3: 1, 4: 1, 5: 1}, tries)
		var attempts []int
		for _, f := range ledger.Failures() {
			attempts = append(attempts, f.Attempts)
		}
		assert.Equal(t, []int{4, 1, 1}, attempts)
		assert.EqualValues(t, 5, p.Report().Stages[2].Retries)
		assert.LessOrEqual(t, time.Since(start), (1+2+1+2+3)*time.Second, "the bounds of the pauses")
		assert.Greater(t, time.Since(start), 100*time.Millisecond,
			"chosen evenly below their bounds: less has a chance of 1 in 10^8")
		s.checkReleased(t)
	})
}

// The end of the run ends a pause, and the item is released.
func TestRetryIsInterrupted(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := &stock{}
		ctx, cancel := context.WithCancel(t.Context())
		ledger := &pipe.MemoryLedger{}
		p := pipe.New(pipe.Options{Ledger: ledger})
		flow := pipe.Map(pipe.FromSeq(p, "endless", endless(s)), "fetch",
			pipe.Stage{Workers: 3, Retry: pipe.Retry{Attempts: 1 << 30, Backoff: time.Hour,
				If: func(error) bool { return true }}},
			func(context.Context, *item) (*item, error) { return nil, errTorn })
		time.AfterFunc(time.Millisecond, cancel)
		start := time.Now()
		_, err := collect(ctx, t, flow)
		assert.Equal(t, context.Canceled, err)
		assert.Equal(t, time.Millisecond, time.Since(start))
		assert.Empty(t, ledger.Failures())
		s.checkReleased(t)
	})
}

func TestTimeout(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := &stock{}
		ledger := &pipe.MemoryLedger{}
		p := pipe.New(pipe.Options{OnFailure: pipe.Skip, Ledger: ledger})
		tries := 0
		items := pipe.Limit(pipe.FromSeq(p, "endless", endless(s)), "limit", pipe.Stage{}, 4)
		flow := pipe.Map(items, "fetch",
			pipe.Stage{Timeout: time.Second, Retry: pipe.Retry{Attempts: 2, Backoff: time.Nanosecond}},
			func(ctx context.Context, i *item) (*item, error) {
				tries++
				switch {
				case i.n == 1, i.n == 2 && tries < 5:
					<-ctx.Done()
					return nil, ctx.Err()
				case i.n == 3:
					time.Sleep(time.Minute) // ignores its context, and succeeds
				}
				return i, nil
			})
		var got []int
		for i, err := range flow.All(t.Context()) {
			require.NoError(t, err)
			got = append(got, i.n)
			i.Release()
		}
		assert.Equal(t, []int{0, 2, 3}, got)
		require.Len(t, ledger.Failures(), 1)
		f := ledger.Failures()[0]
		assert.Equal(t, "not done after 1s: context deadline exceeded", f.Text)
		assert.Equal(t, 2, f.Attempts)
		late := (*pipe.TimeoutError)(nil)
		require.ErrorAs(t, f.Err, &late)
		assert.ErrorIs(t, f.Err, context.DeadlineExceeded)
		assert.True(t, late.Timeout())
		s.checkReleased(t)
	})
}

// An item in work for too long is reported once, with its file, stage and time. Report lists it while it is in work.
func TestWatch(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		var told []stats.Stuck
		p := pipe.New(pipe.Options{Watch: pipe.Watch{After: 10 * time.Second,
			Tell: func(s stats.Stuck) { told = append(told, s) }}})
		src := pipe.FromSlice(p, "list", []file{"one", "two", "three"})
		flow := pipe.Map(src, "decode", pipe.Stage{Workers: 2}, func(_ context.Context, pic file) (int, error) {
			if pic == "two" {
				time.Sleep(time.Minute)
			}
			time.Sleep(8 * time.Second)
			return len(pic), nil
		})
		numbers := pipe.Map(flow, "count", pipe.Stage{}, func(_ context.Context, n int) (int, error) {
			time.Sleep(13 * time.Second)
			return n, nil
		})
		during := make(chan []stats.Stuck, 1)
		time.AfterFunc(50*time.Second, func() { during <- p.Report().Stuck })
		_, err := collect(t.Context(), t, numbers)
		require.NoError(t, err)
		require.Len(t, told, 4)
		assert.Equal(t, "two.jpg", told[0].File)
		assert.Equal(t, "id of two", told[0].ID)
		assert.Equal(t, "decode", told[0].Stage)
		assert.InDelta(t, 10, told[0].For.Seconds(), 2.5)
		for n, s := range told[1:] {
			assert.Equal(t, "count", s.Stage)
			assert.Equal(t, string(rune('0'+n)), s.ID)
		}
		assert.Equal(t, []stats.Stuck{{ID: "id of two", File: "two.jpg", Stage: "decode", For: 50 * time.Second}}, <-during)
		assert.Empty(t, p.Report().Stuck)
	})
}

// A stage may allow fewer failures than the run.
func TestMaxFailuresOfAStage(t *testing.T) {
	run := func(o pipe.Options, s pipe.Stage, n int) error {
		p := pipe.New(o)
		first := pipe.Map(pipe.FromSeq(p, "count", count(n)), "first", pipe.Stage{}, tear(2))
		s.Workers = 2
		_, err := collect(t.Context(), t, pipe.Map(first, "second", s, tear(3)))
		return err
	}
	require.NoError(t, run(pipe.Options{OnFailure: pipe.Skip}, pipe.Stage{MaxFailures: 17}, 100))
	err := run(pipe.Options{OnFailure: pipe.Skip}, pipe.Stage{MaxFailures: 16}, 100)
	require.ErrorIs(t, err, pipe.ErrTooManyFailures)
	require.ErrorContains(t, err, "too many failures: second: 17 failed, at most 16 may; the last: second: ")
	require.NoError(t, run(pipe.Options{OnFailure: pipe.Skip}, pipe.Stage{MaxFailureRate: 0.35}, 1000))
	err = run(pipe.Options{OnFailure: pipe.Skip, RateSample: 10}, pipe.Stage{MaxFailureRate: 0.3}, 1000)
	require.ErrorContains(t, err, "too many failures: second: ")
	require.ErrorContains(t, err, "failed, at most 30 % may")
	require.ErrorContains(t, run(pipe.Options{OnFailure: pipe.Skip, MaxFailures: 50}, pipe.Stage{MaxFailures: 17}, 100),
		"too many failures: 51 failed, at most 50 may")
	require.ErrorIs(t, run(pipe.Options{OnFailure: pipe.Skip, RateSample: -1},
		pipe.Stage{MaxFailures: -1, MaxFailureRate: 2}, 1), pipe.ErrOptions)
}
