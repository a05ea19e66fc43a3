package bench

import (
	"context"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// repeated is a source sorted by name, and repeated several times.
type repeated struct {
	source.Source
	order []int // index in the source of each item
	times int
}

func newRepeated(src source.Source, times int) repeated {
	names, order := make([]string, src.Len()), make([]int, src.Len())
	for i := range order {
		names[i], order[i] = src.Item(i).Name, i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(names[a], names[b]) })
	return repeated{src, order, times}
}

func (r repeated) Len() int { return r.times * len(r.order) }

func (r repeated) Item(i int) source.Item {
	item := r.Source.Item(r.order[i%len(r.order)])
	item.ID = int64(i)
	return item
}

// Remote reports whether the source is remote.
func (r repeated) Remote() bool { return source.IsRemote(r.Source) }

func (r repeated) Open(ctx context.Context, i int) (spool.Object, error) {
	return r.Source.Open(ctx, r.order[i%len(r.order)])
}
