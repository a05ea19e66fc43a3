//go:build !asan

package webp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/internal/lanetest"
)

func TestDecodeAllocatesNothingInGo(t *testing.T) {
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	defer c.Leave()
	data := lanetest.Read(t, "lossy.webp")
	h := header(t, data)
	assert.Zero(t, testing.AllocsPerRun(20, func() {
		if _, err := webp.ReadHeader(data); err != nil {
			t.Error(err)
		}
	}))
	to := newTarget(t, h, 3, 0, h.Height)
	defer to.close(t)
	o := webp.Options{Sink: to.Sink.Pointer()} // the sink is full after the first call
	assert.Zero(t, testing.AllocsPerRun(20, func() {
		if _, err := webp.Decode(c, data, h, o); err != nil {
			t.Error(err)
		}
	}))
}
