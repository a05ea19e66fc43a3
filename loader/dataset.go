package loader

import (
	"context"
	"math/rand/v2"

	"github.com/spoolmedia/spool/order"
)

// Dataset is a set of samples of any type, by index, like a map-style dataset of PyTorch: Len is __len__ and Get is
// __getitem__. Several goroutines call both concurrently.
type Dataset[T any] interface {
	Len() int
	// Get loads sample i, which is in [0, Len()). ctx ends if the sample is no longer needed, or at its timeout. Random
	// numbers for the sample should come from Rand(ctx).
	Get(ctx context.Context, i int) (T, error)
}

// drawKey is the context key of an order.Draw.
type drawKey struct{}

// opGet is the operation number for a dataset's own random numbers, as order.OpClip is for clips.
const opGet = 18

// Rand returns the random numbers for the sample that Get is loading. They depend only on the loader's seed, the epoch,
// the sample's index, and how often it came before in the epoch. So they are the same for any worker and timing, and
// after a resume. Each call begins the sequence again. In any other context they are those of seed 0, epoch 0 and
// sample 0.
func Rand(ctx context.Context) *rand.Rand {
	by, _ := ctx.Value(drawKey{}).(order.Draw)
	draws := by.Rand(opGet)
	return rand.New(&draws)
}
