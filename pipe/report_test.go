package pipe_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/internal/budget"
	"github.com/spoolmedia/spool/pipe/stats"
)

// sleep returns a stage's function that takes d.
func sleep(d time.Duration) func(context.Context, int) (int, error) {
	return func(_ context.Context, n int) (int, error) {
		time.Sleep(d)
		return n, nil
	}
}

// In simulated time, the figures are exact.
func TestReportAddsUp(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		p := pipe.New(pipe.Options{})
		src := pipe.FromFunc(p, "list", pipe.Stage{Queue: 1}, func(context.Context) iter.Seq2[int, error] {
			return func(yield func(int, error) bool) {
				for n := range 100 {
					time.Sleep(time.Millisecond)
					if !yield(n, nil) {
						return
					}
				}
			}
		})
		read := pipe.Map(src, "read", pipe.Stage{Workers: 2, Queue: 4}, sleep(5*time.Millisecond))
		decode := pipe.Map(read, "decode", pipe.Stage{Workers: 4, Queue: 4}, sleep(40*time.Millisecond))
		for _, err := range decode.All(t.Context()) {
			require.NoError(t, err)
			time.Sleep(time.Millisecond)
		}

		r := p.Report()
		assert.InDelta(t, 1.0, r.Elapsed.Seconds(), 0.06, "100 items of 40 ms by 4 workers")
		names := map[string]stats.StageReport{}
		for _, s := range append(r.Stages, r.Consumer) {
			names[s.Name] = s
			assert.EqualValues(t, 100, s.Items, s.Name)
			assert.Zero(t, s.Failures, s.Name)
		}
		assert.Equal(t, 2, names["read"].Workers)
		for name, want := range map[string]struct{ service, busy float64 }{
			"list": {1, 0.1}, "read": {5, 0.5}, "decode": {40, 4}, "consumer": {1, 0.1},
		} {
			s := names[name]
			assert.InEpsilon(t, want.service, s.MeanMS, 1e-9, name)
			for _, quantile := range []float64{s.P50MS, s.P90MS, s.P99MS} {
				assert.InEpsilon(t, want.service, quantile, 1.0/32, name)
			}
			assert.InEpsilon(t, want.busy/(r.Elapsed.Seconds()*float64(s.Workers)), s.Occupancy, 1e-9, name)
		}
		assert.Zero(t, names["list"].WaitInS)
		assert.Greater(t, names["list"].WaitOutS, 0.8, "the source waits for room")
		assert.Greater(t, names["read"].WaitOutS, 1.3)
		assert.Less(t, names["decode"].WaitOutS, 0.01)
		assert.Greater(t, names["consumer"].WaitInS, 0.85)
		assert.Greater(t, names["read"].Queue, 0.7, "full in front of what limits, but four workers come at a time")
		assert.Less(t, names["decode"].Queue, 0.5)
		assert.Contains(t, r.Verdict(), "decode limits: its 4 workers are at work 9")
		assert.Contains(t, r.Verdict(), "the next busiest, read, 2")
	})
}

func TestReportWhileRunning(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		p := pipe.New(pipe.Options{})
		before := p.Report()
		assert.Zero(t, before.Elapsed)
		assert.Equal(t, "nothing has been delivered yet", before.Verdict())

		src := pipe.FromSeq(p, "count", count(3))
		flow := pipe.Map(src, "slow", pipe.Stage{}, sleep(10*time.Second))
		time.AfterFunc(4*time.Second, func() {
			r := p.Report()
			assert.Equal(t, 4*time.Second, r.Elapsed)
			assert.InEpsilon(t, 1.0, r.Stages[1].Occupancy, 1e-9, "work under way counts")
			assert.InEpsilon(t, 4.0, r.Consumer.WaitInS, 1e-9, "so does waiting")
		})
		_, err := collect(t.Context(), t, flow)
		require.NoError(t, err)
		after := p.Report()
		time.Sleep(time.Hour)
		assert.Equal(t, after, p.Report(), "nothing moves after the end")
	})
}

// A period has its own figures: a stage that is slow in the second half is the bottleneck there, and not in the first.
// Both periods together are the whole.
func TestReportSince(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		p := pipe.New(pipe.Options{})
		one := pipe.Map(pipe.FromSeq(p, "count", count(200)), "one", pipe.Stage{}, sleep(10*time.Millisecond))
		two := pipe.Map(one, "two", pipe.Stage{}, func(_ context.Context, n int) (int, error) {
			if n >= 100 {
				time.Sleep(50 * time.Millisecond)
			}
			return n, nil
		})
		var half stats.Report
		for n, err := range two.All(t.Context()) {
			require.NoError(t, err)
			if n == 99 {
				half = p.Report()
			}
		}
		whole := p.Report()
		second := whole.Since(half)
		assert.Equal(t, whole.Elapsed, half.Elapsed+second.Elapsed)
		assert.Contains(t, half.Verdict(), "one limits")
		assert.Contains(t, second.Verdict(), "two limits")
		assert.InDelta(t, 50, second.Stages[2].P50MS, 50./32)
		assert.InDelta(t, 0, half.Stages[2].P50MS, 0.001)
		assert.Greater(t, second.Stages[2].Occupancy, 0.95)
		for i, s := range whole.Stages {
			assert.Equal(t, s.Items, half.Stages[i].Items+second.Stages[i].Items)
			assert.Equal(t, s.Out, half.Stages[i].Out+second.Stages[i].Out)
			assert.InDelta(t, s.WaitInS, half.Stages[i].WaitInS+second.Stages[i].WaitInS, 1e-9)
			assert.Equal(t, s.Items, s.Service.Count())
			n := int64(0)
			for b := range s.Service.Buckets() {
				n += b.Count
				assert.Less(t, b.From, b.To)
			}
			assert.Equal(t, s.Items, n)
		}
		assert.Equal(t, whole, whole.Since(stats.Report{}))
		for i := range half.Stages {
			half.Stages[i].Service = nil
		}
		light := whole.Since(half)
		assert.Equal(t, second.Stages[2].Occupancy, light.Stages[2].Occupancy)
		assert.Equal(t, second.Verdict(), light.Verdict())
		assert.Zero(t, light.Stages[2].P50MS)
	})
}

// A pipeline without a loop has a verdict, too, and the verdict names a stage that waits for bytes.
func TestVerdictOfSinksAndBudgets(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		p := pipe.New(pipe.Options{})
		assert.Equal(t, "nothing has been delivered yet", p.Report().Verdict())
		slow := pipe.Map(pipe.FromSeq(p, "count", count(100)), "slow", pipe.Stage{}, sleep(10*time.Millisecond))
		pipe.To(slow, "sink", pipe.Stage{}, func(context.Context, int) error { return nil })
		require.NoError(t, p.Run(t.Context()))
		assert.Contains(t, p.Report().Verdict(),
			"slow limits: its one worker is at work 100 % of the time, the next busiest, ")

		s := &stock{}
		p = pipe.New(pipe.Options{})
		items := pipe.Limit(pipe.FromSeq(p, "endless", endless(s)), "limit", pipe.Stage{}, 200)
		admitted := pipe.Admit(items, "admit", pipe.Stage{}, charge(budget.New(10), func(*item) int { return 10 }))
		flow := pipe.Map(admitted, "decode", pipe.Stage{Workers: 4}, func(_ context.Context, c charged) (charged, error) {
			time.Sleep(10 * time.Millisecond)
			return c, nil
		})
		for c, err := range flow.All(t.Context()) {
			require.NoError(t, err)
			c.Release()
		}
		assert.Equal(t, "the budget of admit limits: it is without bytes 100 % of the time, and the busiest stage, decode, "+
			"is at work 25 %. "+
			"Raise the budget, or let fewer items wait behind it.", p.Report().Verdict())
	})
}
