package loader_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/loader"
)

// slowOpen is a local source whose files take time to open, as on a network file system.
type slowOpen struct {
	dots
	takes     time.Duration
	now, most atomic.Int64 // being opened
}

func (s *slowOpen) Open(ctx context.Context, i int) (spool.Object, error) {
	n := s.now.Add(1)
	for most := s.most.Load(); n > most && !s.most.CompareAndSwap(most, n); most = s.most.Load() {
	}
	defer s.now.Add(-1)
	time.Sleep(s.takes + time.Duration(i%997)*time.Microsecond) //nolint:forbidigo // of the bubble
	return s.dots.Open(ctx, i)
}

// Slow opens do not limit the throughput: files are opened concurrently, and the number of workers is tuned to the
// loop's needs. The time is that of a bubble: 200 ms and 100 samples a second stand for 2 ms and 10,000, at a hundredth
// of the CPU time.
func TestSlowOpeningIsHidden(t *testing.T) {
	const size, step = 32, 320 * time.Millisecond
	batches := short.Of(128, 64)
	for _, order := range []batch.Order{batch.Exact, batch.Any} {
		bubble.Test(t, func(t *testing.T) {
			src := &slowOpen{dots: dots{n: batches * size}, takes: 200 * time.Millisecond}
			ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(1), Options: loader.Options{Workers: 2, Order: order}})
			require.NoError(t, err)
			taken := 0
			var from time.Time
			for b, err := range ld.Batches(t.Context()) {
				require.NoError(t, err)
				if taken++; taken == batches/2 {
					from = time.Now()
				}
				time.Sleep(step) //nolint:forbidigo // of the bubble
				b.Release()
			}
			rate := float64(batches/2+1) * step.Seconds() / time.Since(from).Seconds()
			t.Logf("%.3f of the rate, %d opened at a time, %+v", rate, src.most.Load(), ld.Report().Moves)
			require.GreaterOrEqual(t, rate, 0.9)
			require.LessOrEqual(t, src.most.Load(), int64(64))
			require.NoError(t, ld.Close())
		})
	}
}

// Fetchers is the number of files that are opened at a time.
func TestFetchersOpenSideBySide(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		src := &slowOpen{dots: dots{n: 60}, takes: 200 * time.Millisecond}
		begun := time.Now()
		_, err := load(t, src, loader.ImageOptions{Spec: spec(1),
			Options: loader.Options{Fetching: loader.Fetching{Files: 6}}}, (*batch.Batch).Len)
		require.NoError(t, err)
		require.EqualValues(t, 6, src.most.Load())
		require.Less(t, time.Since(begun), 11*src.takes, "ten rounds")
	})
}
