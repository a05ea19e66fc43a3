package pipe

import (
	"context"
	"math/rand/v2"

	"github.com/spoolmedia/spool/pipe/internal/queue"
)

// Shuffle passes items on in random order. It holds n items. Each new item replaces a random one of them, which is
// passed on. At the end of an epoch, the remaining items are passed on in random order.
//
// The order depends only on n, seed, the epoch's number and the order of the input: if these are equal, runs are equal.
// An item may come at most n positions early. It may come any number of positions late, n on average. For a uniform
// permutation of a whole epoch, shuffle at the source.
func Shuffle[T any](in *Flow[T], name string, s Stage, n int, seed uint64) *Flow[T] {
	if n < 1 {
		in.pipeline.problem("stage %q: a shuffle of %d", in.pipeline.prefix+name, n)
	}
	c := &shuffler[T]{n: n, seed: seed}
	c.begin()
	return Collate(in, name, s, c)
}

type shuffler[T any] struct {
	n     int
	seed  uint64
	epoch uint64
	draws *rand.Rand
	held  []T
}

func (c *shuffler[T]) begin() { c.draws = rand.New(rand.NewPCG(c.seed, c.epoch)) }

func (c *shuffler[T]) Add(_ context.Context, item T) (out T, ok bool, err error) {
	if len(c.held) < c.n {
		c.held = append(c.held, item)
		return out, false, nil
	}
	place := &c.held[c.draws.IntN(len(c.held))]
	out, *place = *place, item
	return out, true, nil
}

func (c *shuffler[T]) Flush(context.Context) (out T, ok bool, err error) {
	last := len(c.held) - 1
	if last < 0 {
		c.epoch++
		c.begin()
		return out, false, nil
	}
	i := c.draws.IntN(last + 1)
	out, c.held[i] = c.held[i], c.held[last]
	clear(c.held[last:])
	c.held = c.held[:last]
	return out, true, nil
}

func (c *shuffler[T]) Release() {
	for _, item := range c.held {
		queue.Release(item)
	}
	c.held = nil
}
