package baseline_test

import (
	"sort"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/cbridge/mem"
)

// MaxMemory limits the memory of each image, whatever memory wider images have left in the engine.
func TestMaxMemory(t *testing.T) {
	c := enter(t)
	narrow, wide := read(t, "../testdata/s420.jpg"), read(t, "../../../testdata/photos/animal/00.jpg")
	before := mem.InUse()
	var e baseline.Engine
	decode := func(data []byte, most int64) baseline.Reason {
		l, reason := baseline.ReadLayout(data)
		require.Equal(t, baseline.Decoded, reason)
		top := area{0, 0, l.Width, 1}
		plan := windowPlan(l.Width, l.Height, 3, top)
		sink := window(t, l.Width, l.Height, 3, top, make([]byte, 3*l.Width), make([]byte, plan.ScratchBytes()))
		defer sink.Close()
		reason, err := e.Decode(c, data,
			baseline.Options{Sink: sink.Pointer(), Width: l.Width, Height: l.Height, MaxMemory: most})
		require.NoError(t, err)
		return reason
	}
	least := func(data []byte) int64 {
		return int64(sort.Search(1<<20, func(n int) bool { return decode(data, int64(n+1)) == baseline.Decoded })) + 1
	}
	first := least(narrow)
	taken := mem.InUse() - before
	assert.Less(t, first, taken) // includes the tables
	assert.Greater(t, first, taken/20)
	assert.Equal(t, baseline.Memory, decode(narrow, first-1))
	assert.Greater(t, least(wide), first)
	assert.Equal(t, first, least(narrow))
	assert.Equal(t, baseline.Decoded, decode(wide, 0))
	require.NoError(t, e.Close())
	assert.Equal(t, before, mem.InUse())
}
