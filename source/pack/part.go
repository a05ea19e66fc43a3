package pack

import (
	"context"

	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/source"
)

// Part is some shards of a folder.
type Part struct {
	Plan
	// Count is the number of shards of the folder, and First that of the first one here.
	Count int `json:"count"`
	First int `json:"first"`

	Shards []Shard `json:"shards"`
}

// WriteShards writes the shards first to last-1, as Write would. It keeps those that exist. It writes no manifest,
// which has the shards of all parts. With first and last 0 it writes the plan alone.
//
// Several processes may call it at the same time, also for the same shards and on several machines that share the
// folder. Each shard appears as a whole, with the same bytes from each process. The plan must exist before the second
// process begins. A killed process leaves files whose names end in .part.
func WriteShards(ctx context.Context, src source.Source, to string, o Options, first, last int) (*Part, error) {
	if err := o.validate(src); err != nil {
		return nil, err
	}
	if o.Format.Index != nil {
		return nil, invalid.Errorf("shards of %s need an index of all: call Write", o.Format.Name)
	}
	w, end, err := begin(ctx, src, destinationOf(to, o.Store, true), o)
	if err != nil {
		return nil, err
	}
	defer end()
	p := &Part{Plan: w.plan, Count: len(w.cuts) - 1, First: first}
	if first < 0 || last < first || last > p.Count {
		return nil, invalid.Errorf("shards %d to %d of %d", first, last, p.Count)
	}
	p.Shards = make([]Shard, last-first)
	return p, w.all(ctx, o.workers(), first, p.Shards)
}
