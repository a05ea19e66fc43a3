package baseline_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/stoptest"
)

func TestCancellation(t *testing.T) {
	var e baseline.Engine
	defer e.Close()
	data := read(t, "../testdata/s420.jpg")
	ctx, cancel := context.WithCancel(t.Context())
	c, err := call.Enter(ctx, 1)
	require.NoError(t, err)
	defer c.Leave()
	cancel()
	for c.Err() == nil { // another goroutine sets the flag
	}
	l, _ := baseline.ReadLayout(data)
	_, err = e.Planes(c, data, make([]byte, l.Bytes()))
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, spool.ErrCanceled, spool.ClassOf(err))
	all := area{0, 0, l.Width, l.Height}
	plan := windowPlan(l.Width, l.Height, 3, all)
	sink := window(t, l.Width, l.Height, 3, all, make([]byte, 3*l.Width*l.Height), make([]byte, plan.ScratchBytes()))
	defer sink.Close()
	_, err = e.Decode(c, data, baseline.Options{Sink: sink.Pointer(), Width: l.Width, Height: l.Height})
	require.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, sink.Rows())
}

func TestStopsSoon(t *testing.T) {
	var e baseline.Engine
	defer e.Close()
	data := read(t, "../../../testdata/photos/animal/00.jpg")
	l, _ := baseline.ReadLayout(data)
	all := area{0, 0, l.Width, l.Height}
	dst, scratch := make([]byte, 3*l.Width*l.Height), make([]byte, windowPlan(l.Width, l.Height, 3, all).ScratchBytes())
	stoptest.Soon(t, func(looks int32) error {
		sink := window(t, l.Width, l.Height, 3, all, dst, scratch)
		defer sink.Close()
		_, err := lanetest.Within(t, looks, func(c *call.Call) (baseline.Reason, error) {
			return e.Decode(c, data, baseline.Options{Sink: sink.Pointer(), Width: l.Width, Height: l.Height})
		})
		return err
	})
}

// Several goroutines share tables and decoders, with more tables than are kept, in any order.
func TestConcurrency(t *testing.T) {
	var e baseline.Engine
	r := seed.Rand(t)
	var files [][]byte
	for range 60 {
		files = append(files, newSynthetic(r, tame, 100, map[string]int{}))
	}
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			var m comparison
			c, err := call.Enter(t.Context(), 1)
			if !assert.NoError(t, err) {
				return
			}
			defer c.Leave()
			for i := range 5 * len(files) {
				reason, difference := m.planes(t, c, files[(i*(worker+1)+worker)%len(files)], &e)
				assert.Empty(t, difference)
				assert.Equal(t, baseline.Decoded, reason)
			}
		})
	}
	wait.Wait()
	require.NoError(t, e.Close())
	require.NoError(t, e.Close())
}

// The engine's memory does not depend on the heights of images.
func TestMemory(t *testing.T) {
	var e baseline.Engine
	c := enter(t)
	before := mem.InUse()
	for _, file := range picked(t, "../../../../shared/media/large/*.jpg", "../testdata/s420.jpg") {
		data := read(t, file)
		l, _ := baseline.ReadLayout(data)
		top := area{0, 0, l.Width, 1}
		plan := windowPlan(l.Width, l.Height, 3, top)
		sink := window(t, l.Width, l.Height, 3, top, make([]byte, 3*l.Width), make([]byte, plan.ScratchBytes()))
		reason, err := e.Decode(c, data, baseline.Options{Sink: sink.Pointer(), Width: l.Width, Height: l.Height})
		require.NoError(t, err)
		require.Equal(t, baseline.Decoded, reason)
		assert.Less(t, mem.InUse()-before, int64(3<<20))
		sink.Close()
	}
	require.NoError(t, e.Close())
	assert.Equal(t, before, mem.InUse())
}
