//go:build !asan

package baseline_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

func TestAllocatesNothing(t *testing.T) {
	var e baseline.Engine
	defer e.Close()
	c, data := enter(t), read(t, "../testdata/s420.jpg")
	l, reason := baseline.ReadLayout(data)
	assert.Equal(t, baseline.Decoded, reason)
	all := area{0, 0, l.Width, l.Height}
	plan, planes := windowPlan(l.Width, l.Height, 3, all), make([]byte, l.Bytes())
	const runs = 20
	var sinks []*kernel.Sink // a sink takes one image
	for range runs + 1 {
		sink := window(t, l.Width, l.Height, 3, all, make([]byte, 3*l.Width*l.Height), make([]byte, plan.ScratchBytes()))
		defer sink.Close()
		sinks = append(sinks, sink)
	}
	assert.Zero(t, testing.AllocsPerRun(runs, func() {
		if _, err := e.Planes(c, data, planes); err != nil {
			t.Error(err)
		}
		sink := sinks[0]
		sinks = sinks[1:]
		if _, err := e.Decode(c, data, baseline.Options{Sink: sink.Pointer(), Width: l.Width, Height: l.Height}); err != nil {
			t.Error(err)
		}
	}))
}
