package pipe_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/pipe"
)

// A function of which three run at a time, as on three cores: more workers than three bring nothing.
func TestProfile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stock{}
		cores := make(chan struct{}, 3)
		items := func(yield func(*item) bool) {
			for n := range 120 {
				if !yield(s.make(n)) {
					return
				}
			}
		}
		speeds, err := pipe.Profile(t.Context(), items, pipe.Stage{}, []int{1, 2, 3, 8}, func(_ context.Context, i *item) (*item, error) {
			cores <- struct{}{}
			time.Sleep(100 * time.Millisecond)
			<-cores
			if i.n%10 == 0 {
				return nil, errTorn
			}
			return i, nil
		})
		require.NoError(t, err)
		require.Len(t, speeds, 4)
		for n, want := range []float64{9, 18, 27, 27} { // of ten items a second and worker, one fails
			assert.InEpsilon(t, want, speeds[n].Rate, 0.01)
			assert.EqualValues(t, 12, speeds[n].Stage.Failures)
		}
		assert.InEpsilon(t, 100, speeds[0].Stage.MeanMS, 1e-9)
		assert.Greater(t, speeds[3].Stage.MeanMS, 200.0)
		s.checkReleased(t)

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		speeds, err = pipe.Profile(ctx, items, pipe.Stage{}, nil, pass)
		assert.Equal(t, context.Canceled, err)
		assert.Empty(t, speeds)
	})
}
