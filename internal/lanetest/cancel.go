package lanetest

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/internal/seed"
)

// Cancel configures the random cancellation of a lane.
type Cancel struct {
	Files  []string
	Rounds int
	Within time.Duration // the cancel comes within this time of the call; 0: within 300 turns of the scheduler
	Closes bool          // a cancel closes the image
	Whole  bool          // a call may be cancelled after its last row was delivered
}

// An ended call decodes nothing, and reports the cause.
func (l Lane) ended(t *testing.T) {
	for timeout, want := range map[bool][2]error{
		false: {spool.ErrCanceled, context.Canceled}, true: {spool.ErrTimeout, context.DeadlineExceeded},
	} {
		t.Run(want[1].Error(), func(t *testing.T) {
			c := Ended(t, timeout)
			for _, name := range l.Files {
				p := l.open(t, name)
				_, delivered, stored, err := p.window(t, c, p.Forms[0], All(p.Width, p.Height))
				assert.ErrorIs(t, err, want[0], name)
				assert.ErrorIs(t, err, want[1], name)
				assert.Zero(t, delivered, name)
				assert.Zero(t, stored, name)
				if !l.Memory {
					continue
				}
				dst := make([]byte, p.Width*p.Height*p.Forms[0].Bytes())
				rows, err := p.Decode(c, Options{Form: p.Forms[0], Dst: dst})
				assert.ErrorIs(t, err, want[0], name)
				assert.ErrorIs(t, err, want[1], name)
				assert.Zero(t, rows, name)
			}
		})
	}
}

// A call that is cancelled at a random moment returns either the whole image or the cancellation.
func (l Lane) cancelled(t *testing.T) {
	random := seed.Rand(t)
	whole := map[string][]byte{}
	for _, name := range l.Cancel.Files {
		pixels, err := l.open(t, name).whole(t)
		require.NoError(t, err)
		whole[name] = pixels
	}
	finished, stopped := 0, 0
	for round := range l.Cancel.Rounds {
		name := l.Cancel.Files[random.IntN(len(l.Cancel.Files))]
		p, err := l.Open(t, name, Read(t, name))
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		if l.Cancel.Within > 0 {
			time.AfterFunc(time.Duration(random.Int64N(int64(l.Cancel.Within))), cancel)
		} else {
			go func(turns int) {
				for range turns {
					runtime.Gosched()
				}
				cancel()
			}(random.IntN(300))
		}
		c, err := call.Enter(ctx, 1)
		if err != nil {
			p.close()
			continue
		}
		pixels, delivered, _, err := p.window(t, c, p.Forms[0], All(p.Width, p.Height))
		c.Leave()
		if err == nil {
			finished++
			require.Equal(t, Digest(whole[name]), Digest(pixels), "round %d: %s", round, name)
		} else {
			stopped++
			require.ErrorIs(t, err, context.Canceled, "round %d: %s", round, name)
			if !l.Cancel.Whole {
				require.Less(t, delivered, p.Height)
			}
			if l.Cancel.Closes {
				_, err = p.whole(t)
				require.ErrorIs(t, err, spool.ErrClosed)
			}
		}
		p.close()
		cancel()
	}
	t.Logf("%d finished, %d stopped", finished, stopped)
}
