package pipe_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/stats"
)

// waiting is a pipeline of functions that wait, with very different distributions of times. In simulated time its runs
// are exact, and need no cores.
type waiting struct {
	read, decode   pipe.Stage
	batch          int
	readS, decodeS func(*rand.Rand) time.Duration
}

func (w waiting) build(p *pipe.Pipeline, items int) *pipe.Flow[[]int] {
	return pipe.Batch(w.flow(pipe.FromSeq(p, "list", count(items))), "batch", pipe.Stage{Queue: 2}, w.batch)
}

func (w waiting) flow(in *pipe.Flow[int]) *pipe.Flow[int] {
	wait := func(stage uint64, d func(*rand.Rand) time.Duration) func(context.Context, int) (int, error) {
		return func(_ context.Context, n int) (int, error) {
			time.Sleep(d(rand.New(rand.NewPCG(stage, uint64(n)))))
			return n, nil
		}
	}
	return pipe.Map(pipe.Map(in, "read", w.read, wait(1, w.readS)), "decode", w.decode, wait(2, w.decodeS))
}

// run runs the pipeline with a consumer that takes 20 ms per batch.
func (w waiting) run(t *testing.T, items int) stats.Report {
	p := pipe.New(pipe.Options{})
	for _, err := range w.build(p, items).All(t.Context()) {
		require.NoError(t, err)
		time.Sleep(20 * time.Millisecond)
	}
	return p.Report()
}

// A model of one run predicts the runs with other settings.
func TestModelPredicts(t *testing.T) {
	heavy := func(r *rand.Rand) time.Duration {
		if r.IntN(100) == 0 {
			return 100 * time.Millisecond
		}
		return 2 * time.Millisecond
	}
	even := func(r *rand.Rand) time.Duration { return time.Duration(r.Int64N(int64(10 * time.Millisecond))) }
	const items = 4000
	from := waiting{read: pipe.Stage{Workers: 2}, decode: pipe.Stage{Workers: 4, Queue: 16}, batch: 8, readS: even,
		decodeS: heavy}
	bubble.Test(t, func(t *testing.T) {
		model := from.run(t, items).Model("list", "read", "decode", "batch", "consumer")
		require.Len(t, model.Stages, 5, "the consumer, too")
		for _, change := range []func(*waiting){
			func(*waiting) {},
			func(w *waiting) { w.read.Workers = 1 },
			func(w *waiting) { w.read.Workers, w.read.Queue = 16, 4 },
			func(w *waiting) { w.read.Workers, w.decode.Workers, w.decode.Queue = 16, 1, 1 },
			func(w *waiting) { w.read.Workers, w.decode.Workers, w.decode.Queue = 16, 16, 1 },
			func(w *waiting) { w.read.Workers, w.decode.Queue, w.decode.AsCompleted = 16, 1, true },
			func(w *waiting) { w.read.Workers, w.decode.Queue = 8, 256 },
			// the consumer is the bottleneck
			func(w *waiting) { w.read.Workers, w.decode.Workers, w.decode.Queue = 64, 64, 256 },
		} {
			other := from
			change(&other)
			read, decode := model.Stage("read"), model.Stage("decode")
			for _, x := range []struct {
				stage *stats.ModelStage
				set   pipe.Stage
			}{{read, other.read}, {decode, other.decode}} {
				x.stage.Workers, x.stage.Queue, x.stage.AsCompleted = x.set.Workers, x.set.Queue, x.set.AsCompleted
				if x.set.Queue == 0 {
					x.stage.Queue = 2 * x.set.Workers
				}
			}
			predicted, measured := model.Simulate(items), other.run(t, items)
			name := measured.Verdict()
			assert.InEpsilon(t, measured.Elapsed.Seconds(), predicted.Elapsed.Seconds(), 0.05, name)
			for i, s := range measured.Stages {
				p := predicted.Stages[i]
				assert.Equal(t, s.Name, p.Name)
				assert.InDelta(t, s.Occupancy, p.Occupancy, 0.05, "%s: %s", s.Name, name)
				assert.InDelta(t, s.WaitOutS, p.WaitOutS, 0.1*measured.Elapsed.Seconds()*float64(s.Workers), "%s: %s", s.Name, name)
				assert.InDelta(t, s.Items, p.Items, 1, s.Name)
			}
			assert.InDelta(t, measured.Consumer.Occupancy, predicted.Consumer.Occupancy, 0.05, name)
		}
	})
	assert.Equal(t, stats.Report{}, stats.Model{}.Simulate(10))
}

// A stage that needs cores gets no faster with more workers than cores, and one that waits does. A profile
// distinguishes the two.
func TestModelKnowsCores(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		each := short.Of(20*time.Millisecond, 5*time.Millisecond) // the profile looks every millisecond
		s := &stock{}
		p := pipe.New(pipe.Options{})
		wait := func(_ context.Context, i *item) (*item, error) {
			time.Sleep(each)
			return i, nil
		}
		p.OnMachine(2, func() time.Duration { return 0 })
		cores := make(chan struct{}, 2)
		work := func(ctx context.Context, i *item) (*item, error) {
			cores <- struct{}{}
			defer func() { <-cores }()
			return wait(ctx, i)
		}
		waits := pipe.Map(pipe.FromSeq(p, "list", endless(s)), "wait", pipe.Stage{}, wait)
		half := pipe.Map(waits, "half", pipe.Stage{}, func(ctx context.Context, i *item) (*item, error) {
			if _, err := wait(ctx, i); err != nil {
				return nil, err
			}
			return work(ctx, i)
		})
		pipe.Map(half, "work", pipe.Stage{}, work)
		profile, err := p.Profile(t.Context(), pipe.ProfileOptions{Items: 400})
		require.NoError(t, err)
		model := profile.Model()
		assert.InDelta(t, 0, model.Stage("wait").CPU, 0.05)
		assert.InDelta(t, 0.5, model.Stage("half").CPU, 0.1)
		assert.InDelta(t, 1, model.Stage("work").CPU, 0.05)
		assert.Nil(t, model.Stage("none"))

		for _, name := range []string{"wait", "half", "work"} {
			model.Stage(name).Workers = 64
		}
		r := model.Simulate(2000)
		assert.InEpsilon(t, 1/each.Seconds(), 2000/r.Elapsed.Seconds(), 0.1, "half and work share the cores")
		assert.Contains(t, r.Verdict(), "All of the")
	})
}
