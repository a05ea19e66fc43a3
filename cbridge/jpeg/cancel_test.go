package jpeg_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/internal/seed"
)

// ended gives a call whose context has ended.
func ended(t *testing.T, timeout bool) *call.Call {
	t.Helper()
	for d := time.Millisecond; ; d *= 2 { // a short one may pass before the entry
		ctx, end := context.WithCancel(t.Context())
		if timeout {
			ctx, end = context.WithTimeout(t.Context(), d)
		}
		c, err := call.Enter(ctx, 1)
		if err != nil {
			end()
			continue
		}
		if !timeout {
			end()
		}
		for c.Err() == nil {
			runtime.Gosched()
		}
		end()
		return c
	}
}

func TestEndedContextStopsDecoding(t *testing.T) {
	for _, timeout := range []bool{false, true} {
		class, cause := spool.ErrCanceled, context.Canceled
		if timeout {
			class, cause = spool.ErrTimeout, context.DeadlineExceeded
		}
		c := ended(t, timeout)
		for _, name := range []string{"s420.jpg", "p420.jpg", "scans.jpg", "arithmetic.jpg", "cmyk.jpg"} {
			report, err := jpeg.Decode(c, read(t, name), jpeg.Options{Dst: make([]byte, 41*93*3)})
			assert.ErrorIs(t, err, class, name)
			assert.ErrorIs(t, err, cause, name)
			assert.Zero(t, report.Rows, name)
		}
		c.Leave()
	}
}

func TestCancelAtRandom(t *testing.T) {
	random := seed.Rand(t)
	data := [][]byte{read(t, "s444.jpg"), read(t, "p444.jpg"), read(t, "restart_rows.jpg")}
	dst, whole := make([]byte, 41*93*3), make([]string, len(data))
	for i := range data {
		pixels, _, err := decode(t, data[i], jpeg.Options{})
		require.NoError(t, err)
		whole[i] = digest(pixels)
	}
	var finished, stopped int
	for round := range 600 {
		ctx, cancel := context.WithCancel(t.Context())
		wait := random.IntN(40)
		go func() {
			for range wait {
				runtime.Gosched()
			}
			cancel()
		}()
		c, err := call.Enter(ctx, 1)
		if err != nil {
			continue
		}
		i := random.IntN(len(data))
		switch report, err := jpeg.Decode(c, data[i], jpeg.Options{Dst: dst}); err {
		case nil:
			finished++
			require.Equal(t, whole[i], digest(dst), "round %d", round)
		default:
			stopped++
			require.ErrorIs(t, err, context.Canceled, "round %d", round)
			require.Less(t, report.Rows, 93)
		}
		c.Leave()
	}
	t.Logf("%d finished, %d stopped", finished, stopped)
}
