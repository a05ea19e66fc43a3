package pack

import (
	"cmp"
	"slices"

	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/source"
)

// clusters is the order of Options.Cluster: the id at each position.
type clusters []int

// newClusters moves samples of one label together, and keeps their order otherwise.
func newClusters(src source.Source, by order.Sampler) clusters {
	ids := make(clusters, by.Len())
	for i := range ids {
		ids[i] = by.At(i)
	}
	slices.SortStableFunc(ids, func(a, b int) int { return cmp.Compare(src.Item(a).Label, src.Item(b).Label) })
	return ids
}

func (c clusters) Len() int     { return len(c) }
func (c clusters) At(i int) int { return c[i] }
