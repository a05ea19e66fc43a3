package pipe_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/internal/budget"
	"github.com/spoolmedia/spool/pipe/stats"
)

// onCores returns a function of which n calls run at a time.
func onCores(n int, d time.Duration) func(context.Context, *item) (*item, error) {
	cores := make(chan struct{}, n)
	return func(_ context.Context, i *item) (*item, error) {
		cores <- struct{}{}
		time.Sleep(d)
		<-cores
		if i.n%10 == 0 {
			return nil, errTorn
		}
		return i, nil
	}
}

func speeds(s stats.StageProfile) (workers []int, rates []float64) {
	for _, v := range s.Speeds {
		workers, rates = append(workers, v.Workers), append(rates, v.Rate)
	}
	return workers, rates
}

// Each stage is measured alone, so a slow stage does not affect the figures of another. The profile finds that a
// function of which three calls run at a time, as on three cores, gets no faster with more workers.
func TestProfile(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		each := short.Of(100*time.Millisecond, 20*time.Millisecond) // the profile looks every millisecond
		rate := 0.9 / each.Seconds()                                // one of ten items fails
		s := &stock{}
		p := pipe.New(pipe.Options{OnFailure: pipe.Skip})
		items := pipe.FromSeq(p, "list", endless(s))
		read := pipe.Map(items, "read", pipe.Stage{Workers: 5, AsCompleted: true},
			func(_ context.Context, i *item) (*item, error) {
				time.Sleep(time.Millisecond)
				return i, nil
			})
		decode := pipe.Map(read, "decode", pipe.Stage{}, onCores(3, each))
		pipe.Batch(decode, "batch", pipe.Stage{}, 4)

		profile, err := p.Profile(t.Context(), pipe.ProfileOptions{Items: 600})
		require.NoError(t, err)
		s.checkReleased(t)
		require.Len(t, profile.Stages, 4)
		for i, want := range []struct {
			name    string
			workers []int
			rates   []float64
		}{
			{"list", []int{1}, nil},
			{"read", []int{1, 2, 4, 8, 16, 32}, []float64{1000, 2000, 4000, 8000, 16000, 32000}},
			{"decode", []int{1, 2, 4, 8}, []float64{rate, 2 * rate, 3 * rate, 3 * rate}},
			{"batch", []int{1}, nil},
		} {
			got := profile.Stages[i]
			workers, rates := speeds(got)
			assert.Equal(t, want.name, got.Name)
			assert.Equal(t, want.workers, workers, want.name)
			for n := range want.rates {
				round := float64(workers[n]) / 600 // of all workers, with one more or less
				assert.InEpsilon(t, want.rates[n], rates[n], 0.02+round, "%s with %d workers", want.name, workers[n])
			}
		}
		assert.InEpsilon(t, 3, profile.Stages[2].Speeds[3].Speedup, 0.02)
		assert.EqualValues(t, 600, profile.Stages[2].Speeds[0].Items)
		assert.Contains(t, profile.String(), "decode        2    600")

		before := p.Report()
		_, err = p.Profile(t.Context(), pipe.ProfileOptions{})
		assert.ErrorIs(t, err, pipe.ErrOptions, "it ran")
		assert.Equal(t, before, p.Report())
	})
}

// A profile of any pipeline ends, measures every stage that has an item, and keeps nothing.
func TestProfileOfAllStages(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := &stock{}
		p := pipe.New(pipe.Options{})
		epochs := pipe.FromEpochs(p, "epochs", pipe.Stage{}, 40, func(context.Context, int) iter.Seq2[*item, error] {
			return func(yield func(*item, error) bool) {
				for n := range 30 {
					if !yield(s.make(n), nil) {
						return
					}
				}
			}
		})
		wait := func(_ context.Context, i *item) (*item, error) {
			time.Sleep(time.Duration(1+i.n%3) * time.Millisecond)
			return i, nil
		}
		routed := pipe.Route(epochs, "route", pipe.Stage{},
			func(_ context.Context, i *item) (int, error) { return i.n % 2, nil },
			func(f *pipe.Flow[*item]) *pipe.Flow[*item] { return pipe.Map(f, "a", pipe.Stage{Workers: 2}, wait) },
			func(f *pipe.Flow[*item]) *pipe.Flow[*item] { return pipe.Map(f, "b", pipe.Stage{}, wait) })
		again := pipe.FlatMap(routed, "parts", pipe.Stage{Workers: 3, Queue: 2},
			func(_ context.Context, i *item) iter.Seq2[*item, error] {
				return func(yield func(*item, error) bool) {
					defer i.Release()
					for n := range 5 {
						time.Sleep(time.Millisecond)
						if !yield(s.make(n), nil) {
							return
						}
					}
				}
			})
		other := pipe.Admit(pipe.FromSeq(p, "endless", endless(s)), "admit", pipe.Stage{},
			charge(budget.New(100), func(*item) int { return 10 }))
		uncharged := pipe.Map(other, "uncharge", pipe.Stage{Workers: pipe.Auto},
			func(_ context.Context, c charged) (*item, error) {
				c.share.Release()
				return c.item, nil
			})
		merged := pipe.Merge("merge", pipe.Stage{}, pipe.MergeOptions{Weights: []float64{4, 1}}, again, uncharged)
		pipe.Batch(pipe.Shuffle(merged, "shuffle", pipe.Stage{}, 10, 1), "batch", pipe.Stage{}, 7)

		profile, err := p.Profile(t.Context(), pipe.ProfileOptions{Items: 50})
		require.NoError(t, err)
		s.checkReleased(t)
		for _, stage := range profile.Stages {
			assert.NotEmpty(t, stage.Speeds, stage.Name)
		}
		predicted := profile.Model().Simulate(1000)
		assert.Len(t, predicted.Stages, len(profile.Stages))
		assert.Positive(t, predicted.Stages[len(predicted.Stages)-1].Items)
	})
}

func TestProfileEnds(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := &stock{}
		slow := func(ctx context.Context, i *item) (*item, error) {
			select {
			case <-time.After(time.Second):
				return i, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		build := func(o pipe.Options, n int) *pipe.Pipeline {
			p := pipe.New(o)
			pipe.Map(pipe.Limit(pipe.FromSeq(p, "list", endless(s)), "limit", pipe.Stage{}, n), "slow", pipe.Stage{}, slow)
			return p
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), 90*time.Second, errTorn)
		defer cancel()
		profile, err := build(pipe.Options{}, 1000).Profile(ctx, pipe.ProfileOptions{Items: 64})
		assert.Equal(t, errTorn, err)
		require.Len(t, profile.Stages[2].Speeds, 1, "what was measured until then")
		assert.InEpsilon(t, 1, profile.Stages[2].Speeds[0].Rate, 0.01)

		profile, err = build(pipe.Options{}, 100).Profile(t.Context(), pipe.ProfileOptions{Items: 64})
		require.NoError(t, err)
		workers, _ := speeds(profile.Stages[2])
		assert.Equal(t, []int{1, 2}, workers, "the source has no more")

		p := pipe.New(pipe.Options{OnFailure: pipe.Fail})
		pipe.Map(pipe.FromSeq(p, "list", endless(s)), "decode", pipe.Stage{}, onCores(1, time.Second))
		_, err = p.Profile(t.Context(), pipe.ProfileOptions{})
		assert.ErrorIs(t, err, errTorn)

		for _, o := range []pipe.ProfileOptions{{Items: -1}, {Workers: []int{}}, {Workers: []int{0, 1}},
			{Workers: []int{2, 1}}} {
			_, err = build(pipe.Options{}, 1).Profile(t.Context(), o)
			assert.ErrorIs(t, err, pipe.ErrOptions)
		}
		s.checkReleased(t)
	})
}
