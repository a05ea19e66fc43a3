package pipe

import (
	"context"
	"fmt"
	"math"
)

// Mix is the proportion in which flows are merged. The zero value takes one item of each in turn.
type Mix struct {
	// Weights are the flows' shares, one for each flow, of any positive sum. nil means equal shares, in turn. After any n
	// items, each flow has contributed its share of n with an error of less than one item. A flow of weight 0 contributes
	// nothing.
	Weights []float64
	// StopAtFirst ends the merged flow when one of the flows ends. When one reaches the border of an epoch, the rest of
	// the others' epoch is dropped. Otherwise the other flows share the rest by their weights.
	StopAtFirst bool
}

// Merge merges several flows, in an order that depends only on the flows and the mix. It has one worker, which waits
// for the flow whose turn it is.
//
// The merged flow has the flows' epochs: the next epoch begins when all flows have reached the border. Flows that have
// ended are omitted.
func Merge[T any](name string, s Stage, mix Mix, flows ...*Flow[T]) *Flow[T] {
	p := pipelineOf(flows)
	s.alone(p, name, "a merge")
	if err := mix.check(len(flows)); err != nil {
		p.problem("stage %q: %w", p.prefix+name, err)
		mix.Weights = nil
	}
	out := newFlow[T](p, name, s)
	out.stage.single = true
	m := &merging[T]{flows: flows, mix: mix, out: outlet[T]{queue: out.queue}}
	for _, f := range flows {
		f.handTo(out.stage)
	}
	out.stage.work, out.stage.leave = m.work, m.leave
	return out
}

// MergeAny merges several flows, in the order in which items arrive. It has one worker per flow.
func MergeAny[T any](name string, s Stage, flows ...*Flow[T]) *Flow[T] {
	p := pipelineOf(flows)
	s.alone(p, name, "a merge")
	s.Order, s.Workers = AsCompleted, max(len(flows), 1)
	out := newFlow[T](p, name, s)
	out.stage.single = true
	out.queue.epochs.feeds = len(flows)
	out.queue.rivals(out.queue.limit - s.Workers)
	free := make(chan *Flow[T], len(flows)) // each worker takes one
	for _, f := range flows {
		f.handTo(out.stage)
		free <- f
	}
	stop := func() {
		for _, f := range flows {
			f.stop()
		}
	}
	out.stage.work = func(ctx context.Context, m *meter) {
		if !forward(ctx, m, <-free, out.queue) {
			stop() // the other workers may wait for flows that wait for this one
		}
	}
	out.stage.leave = func() {
		out.queue.close(nil)
		stop()
	}
	return out
}

func pipelineOf[T any](flows []*Flow[T]) *Pipeline {
	if len(flows) == 0 {
		p := New(Options{})
		p.problem("a merge of no flows")
		return p
	}
	p := flows[0].pipeline
	for _, f := range flows {
		if f.pipeline != p {
			p.problem("stage %q: it is of another pipeline", f.stage.name)
		}
	}
	return p
}

// forward passes on all items of a flow. It returns false if the merged flow has ended or is not wanted.
func forward[T any](ctx context.Context, m *meter, in *Flow[T], out *queue[T]) bool {
	for ctx.Err() == nil && out.reserve(m) {
		item, at, ok := in.queue.take(m)
		switch {
		case !ok:
			err := in.queue.why()
			if err != nil {
				out.finish(at, err)
			}
			out.endFeed(at)
			return err == nil
		case at.kind == border:
			out.border(m, at)
		default:
			m.done(passed)
			out.give(m, at, item, true)
		}
	}
	out.finish(mark{}, nil) // no other worker needs to wait for this flow's borders
	return false
}

// check returns an error for invalid weights.
func (x *Mix) check(flows int) error {
	if x.Weights == nil {
		return nil
	}
	if len(x.Weights) != flows {
		return fmt.Errorf("%d weights for %d flows", len(x.Weights), flows)
	}
	sum := 0.0
	for _, w := range x.Weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return fmt.Errorf("weight %v", w)
		}
		sum += w
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return fmt.Errorf("weights of sum %v", sum)
	}
	return nil
}

type merging[T any] struct {
	flows []*Flow[T]
	mix   Mix
	out   outlet[T]
}

func (s *merging[T]) work(ctx context.Context, m *meter) {
	live := make([]int, len(s.flows))
	for i := range live {
		live[i] = i
	}
	room := s.out.reserve(m)
	for room && len(live) > 0 {
		var borders []int // flows that reached one
		if borders, room = s.epoch(ctx, m, live); !room || len(borders) == 0 {
			return
		}
		s.out.endEpoch()
		room = s.out.reserve(m)
		live = borders
	}
}

// epoch merges the live flows until each has reached a border or its end, and returns those that have more epochs. It
// begins and ends with a reserved place, unless room is false: then no more is wanted, or the merged flow has ended.
func (s *merging[T]) epoch(ctx context.Context, m *meter, live []int) (borders []int, room bool) {
	turns := newTurns(s.mix.Weights, live)
	for stop := false; turns.any(); {
		if ctx.Err() != nil {
			return nil, false
		}
		flow := turns.next()
		item, at, ok := s.flows[flow].queue.take(m)
		switch {
		case !ok:
			if err := s.flows[flow].queue.why(); err != nil {
				s.out.fail(err)
				return nil, false
			}
			if s.mix.StopAtFirst {
				return nil, false
			}
			turns.leave(flow)
		case at.kind == border:
			borders = append(borders, flow)
			turns.leave(flow)
			stop = stop || s.mix.StopAtFirst
		case stop:
			m.done(filtered)
			release(item)
		default:
			m.done(passed)
			s.out.pass(item)
			if !s.out.reserve(m) {
				return nil, false
			}
		}
	}
	return borders, true
}

func (s *merging[T]) leave() {
	s.out.close(nil)
	for _, f := range s.flows {
		f.stop()
	}
}
