package webp_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/internal/seed"
)

// ended gives a call whose context has been cancelled.
func ended(t *testing.T) *call.Call {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	c, err := call.Enter(ctx, 1)
	require.NoError(t, err)
	cancel()
	for c.Err() == nil {
		runtime.Gosched()
	}
	return c
}

func TestEndedContextStopsDecoding(t *testing.T) {
	c := ended(t)
	defer c.Leave()
	for _, name := range []string{"lossy.webp", "lossless.webp", "alpha.webp"} {
		data := read(t, name)
		h := header(t, data)
		to := newTarget(t, h, 3, 0, h.Height)
		report, err := webp.Decode(c, data, h, webp.Options{Sink: to.sink.Pointer()})
		assert.ErrorIs(t, err, spool.ErrCanceled, name)
		assert.ErrorIs(t, err, context.Canceled, name)
		assert.Zero(t, report.Rows, name)
		to.close(t)
	}
	data := read(t, "animated.webp")
	a, err := webp.OpenAnimation(data, header(t, data), 0)
	require.NoError(t, err)
	defer a.Close()
	_, err = a.Next(c, webp.Options{})
	assert.ErrorIs(t, err, spool.ErrCanceled)
}

func TestCancelAtRandom(t *testing.T) {
	random := seed.Rand(t)
	data, want := read(t, "large.webp"), goldens(t)["large.webp"].RGB
	h := header(t, data)
	var finished, stopped int
	for round := range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		wait := time.Duration(random.IntN(2000)) * time.Microsecond
		timer := time.AfterFunc(wait, cancel)
		c, err := call.Enter(ctx, 1)
		if err != nil {
			continue
		}
		to := newTarget(t, h, 3, 0, h.Height)
		switch _, err := webp.Decode(c, data, h, webp.Options{Planes: to.inPlanes(t, h)}); err {
		case nil:
			finished++
			require.Equal(t, want, digest(to.pixels), "round %d", round)
		default:
			stopped++
			require.ErrorIs(t, err, context.Canceled, "round %d", round)
		}
		to.close(t)
		c.Leave()
		timer.Stop()
		cancel()
	}
	t.Logf("%d finished, %d stopped", finished, stopped)
}
