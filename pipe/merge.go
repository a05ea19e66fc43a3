package pipe

import (
	"context"
	"fmt"
	"math"

	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/internal/queue"
	"github.com/spoolmedia/spool/pipe/internal/turns"
	"github.com/spoolmedia/spool/pipe/stats"
)

// MergeOptions are the proportion in which flows are merged. The zero value takes one item of each in turn.
type MergeOptions struct {
	// Weights are the flows' shares, one for each flow, of any positive sum. nil means equal shares, in turn. After any n
	// items, each flow has contributed its share of n with an error of less than one item. A flow of weight 0 contributes
	// nothing.
	Weights []float64
	// StopAtFirst ends the merged flow when one of the flows ends. When one reaches the border of an epoch, the rest of
	// the others' epoch is dropped. Otherwise the other flows share the rest by their weights.
	StopAtFirst bool
}

// Merge merges several flows, in an order that depends only on the flows and the options. It has one worker, which
// waits for the flow whose turn it is.
//
// The merged flow has the flows' epochs: the next epoch begins when all flows have reached the border. Flows that have
// ended are omitted.
func Merge[T any](name string, s Stage, o MergeOptions, flows ...*Flow[T]) *Flow[T] {
	p := pipelineOf(flows)
	s.alone(p, name, "a merge")
	if err := o.check(len(flows)); err != nil {
		p.problem("stage %q: %w", p.prefix+name, err)
		o.Weights = nil
	}
	out := newFlow[T](p, name, s)
	out.stage.single, out.stage.kind, out.stage.weights = true, stats.Merge, o.Weights
	m := &merging[T]{flows: flows, options: o, out: queue.NewOutlet(out.queue)}
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
	s.AsCompleted, s.Workers = true, max(len(flows), 1)
	out := newFlow[T](p, name, s)
	out.stage.single, out.stage.kind = true, stats.MergeAny
	out.queue.Feeds(len(flows))
	out.queue.Rivals(out.queue.Capacity() - s.Workers)
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
	out.stage.work = func(ctx context.Context, m *meter.Meter) {
		if !forward(ctx, m, <-free, out.queue) {
			stop() // the other workers may wait for flows that wait for this one
		}
	}
	out.stage.leave = func() {
		out.queue.Close(nil)
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
func forward[T any](ctx context.Context, m *meter.Meter, in *Flow[T], out *queue.Queue[T]) bool {
	for ctx.Err() == nil && out.Reserve(m) {
		item, at, ok := in.queue.Take(m)
		switch {
		case !ok:
			err := in.queue.Why()
			if err != nil {
				out.Finish(at, err)
			}
			out.EndFeed(at)
			return err == nil
		case at.Kind == queue.Border:
			out.Border(m, at)
		default:
			m.Done(meter.Passed)
			out.Give(m, at, item, true)
		}
	}
	out.Finish(queue.Mark{}, nil) // no other worker needs to wait for this flow's borders
	return false
}

// check returns an error for invalid weights.
func (o *MergeOptions) check(flows int) error {
	if o.Weights == nil {
		return nil
	}
	if len(o.Weights) != flows {
		return fmt.Errorf("%d weights for %d flows", len(o.Weights), flows)
	}
	sum := 0.0
	for _, w := range o.Weights {
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
	flows   []*Flow[T]
	options MergeOptions
	out     queue.Outlet[T]
}

func (s *merging[T]) work(ctx context.Context, m *meter.Meter) {
	live := make([]int, len(s.flows))
	for i := range live {
		live[i] = i
	}
	room := s.out.Reserve(m)
	for room && len(live) > 0 {
		var borders []int // flows that reached one
		if borders, room = s.epoch(ctx, m, live); !room || len(borders) == 0 {
			return
		}
		s.out.EndEpoch()
		room = s.out.Reserve(m)
		live = borders
	}
}

// epoch merges the live flows until each has reached a border or its end, and returns those that have more epochs. It
// begins and ends with a reserved place, unless room is false: then no more is wanted, or the merged flow has ended.
func (s *merging[T]) epoch(ctx context.Context, m *meter.Meter, live []int) (borders []int, room bool) {
	next := turns.New(s.options.Weights, live)
	for stop := false; next.Any(); {
		if ctx.Err() != nil {
			return nil, false
		}
		flow := next.Next()
		item, at, ok := s.flows[flow].queue.Take(m)
		switch {
		case !ok:
			if err := s.flows[flow].queue.Why(); err != nil {
				s.out.Fail(err)
				return nil, false
			}
			if s.options.StopAtFirst {
				return nil, false
			}
			next.Leave(flow)
		case at.Kind == queue.Border:
			borders = append(borders, flow)
			next.Leave(flow)
			stop = stop || s.options.StopAtFirst
		case stop:
			m.Done(meter.Filtered)
			queue.Release(item)
		default:
			m.Done(meter.Passed)
			s.out.Pass(item)
			if !s.out.Reserve(m) {
				return nil, false
			}
		}
	}
	return borders, true
}

func (s *merging[T]) leave() {
	s.out.Close(nil)
	for _, f := range s.flows {
		f.stop()
	}
}
