package video

import (
	"context"
	"slices"

	"github.com/spoolmedia/spool/decode"
)

// Probed is the number of cached probes.
func (d *Decoder) Probed() int { return len(d.probes.known) }

// Shares exports shares.
var Shares = shares

// Steps returns the calls of a request for all frames. Settle looks for frames in place of damaged ones.
func Steps(v *Video) (map[string]func(ctx context.Context) error, error) {
	frames := make([]int, v.Len())
	for i := range frames {
		frames[i] = i
	}
	spec := Spec{OnDamage: decode.RepeatOnDamage}
	outputs, err := v.prepare(frames, spec)
	if err != nil {
		return nil, err
	}
	jobs := jobsOf(outputs, frames, spec.OnDamage, make([]byte, len(frames)*outputs[0].size))
	jobs[0].output.work = &workspace{pool: v.decoder.scratch}
	t := newRequest(v, jobs)
	return map[string]func(context.Context) error{
		"decode": func(ctx context.Context) error {
			defer jobs[0].output.work.close()
			return t.play(ctx, slices.Values(v.index.Plan(frames).Runs))
		},
		"open again": func(ctx context.Context) error { _, err := v.sibling(ctx, 1); return err },
		"settle":     func(ctx context.Context) error { return t.finish(ctx, jobs) },
	}, nil
}
