package loader_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
)

// remote is a source whose samples take a while to open. In a bubble of synctest nothing else takes time.
type remote struct {
	source.Source
	latency time.Duration
}

func (r remote) Open(ctx context.Context, i int) (spool.Object, error) {
	o, err := r.Source.Open(ctx, i)
	return distant{o, r.latency}, err
}

type distant struct {
	spool.Object
	latency time.Duration
}

func (d distant) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	select {
	case <-time.After(d.latency):
		return d.Object.ReadAt(ctx, p, off)
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// The loop does not wait longer at the border of epochs. A loop that is slower than the loader does not wait at all; a
// loop without any work waits at most twice the median.
func TestNoGapBetweenEpochs(t *testing.T) {
	for _, order := range []batch.Order{batch.Exact, batch.Any} {
		for _, step := range []time.Duration{0, 100 * time.Millisecond} {
			t.Run(fmt.Sprintf("order %d step %v", order, step), func(t *testing.T) {
				bubble.Test(t, func(t *testing.T) {
					src := remote{dots{n: 164}, 5 * time.Millisecond}
					o := loader.Options{Batch: 16, Epochs: 6, Shuffle: true, Order: order}
					ld, err := loader.Images(src, loader.ImageOptions{Spec: image.Spec{Resize: spec(1).Resize}, Options: o})
					require.NoError(t, err)
					var waits []time.Duration
					var epochs []int
					begin := time.Now()
					for b, err := range ld.Batches(t.Context()) {
						require.NoError(t, err)
						waits, epochs = append(waits, time.Since(begin)), append(epochs, b.Epoch)
						b.Release()
						time.Sleep(step) //nolint:forbidigo // of the bubble
						begin = time.Now()
					}
					require.NoError(t, ld.Close())
					require.Len(t, waits, o.Epochs*11)
					for i := range waits[1:] {
						if epochs[i] != epochs[i+1] { // the last batch, which is short, and the first
							require.LessOrEqual(t, max(waits[i], waits[i+1]), 2*median(waits), "%v", waits)
						}
					}
				})
			})
		}
	}
}

// A loop over epochs has one inner loop for the batches of each epoch. This also holds after an inner loop that was
// broken off, and with bad samples.
func TestEpochs(t *testing.T) {
	for _, order := range []batch.Order{batch.Exact, batch.Any} {
		for _, headspace := range []bool{false, true} {
			o := loader.Options{Batch: 4, Epochs: 3, Order: order, Workers: 3}
			ld, err := loader.Images(dots{n: 10}, loader.ImageOptions{Spec: spec(1), Options: o})
			require.NoError(t, err)
			require.Equal(t, 3, ld.EpochBatches())
			epochs := ld.Epochs
			if headspace {
				epochs = ld.Headspace
			}
			next, got := 0, []int{}
			for epoch, batches := range epochs(t.Context()) {
				require.Equal(t, next, epoch)
				next++
				n := 0
				for b, err := range batches {
					require.NoError(t, err)
					require.Equal(t, epoch, b.Epoch)
					b.Release()
					if n++; epoch == 1 {
						break
					}
				}
				got = append(got, n)
			}
			require.Equal(t, []int{3, 1, 3}, got, "order %d headspace %v", order, headspace)
			require.NoError(t, ld.Close())
		}
	}
}
