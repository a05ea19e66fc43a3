package copies_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/bench/copies"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "CUDA handles and bytes", Now: func() int64 {
		u := cuda.InUse()
		return u.Contexts + u.Blocks + u.Registered + u.Streams + u.Events + u.Modules
	}}, leaktest.Count{Name: "forgotten pools", Now: spool.ForgottenPools})
}

// Every step copies the expected bytes, and leaks nothing.
func TestSteps(t *testing.T) {
	const size, rounds, batches = 50000, 2, 5
	f := fake.New(t, fake.Settings{})
	results, err := copies.Measure(t.Context(),
		copies.Options{Driver: f.File, Sizes: []int{size, 2 * size}, Rounds: rounds, Batches: batches})
	require.NoError(t, err)
	var steps []string
	for _, r := range results {
		steps = append(steps, fmt.Sprint(r.Step, " ", r.Bytes/size))
		assert.Equal(t, "transfer", r.Codec)
		assert.Equal(t, "cuda:0", r.Device)
		assert.Positive(t, r.UsPerItem, r.Step)
		assert.NotEmpty(t, r.Engine)
		switch r.Step {
		case "bare-h2d", "bare-d2h":
			assert.InDelta(t, 1, r.FloorRatio, 0)
			assert.Positive(t, r.GBPerS)
		case "h2d", "h2d-pageable", "bare-d2h-each", "d2h":
			assert.Positive(t, r.FloorRatio)
			assert.Positive(t, r.GBPerS)
		default:
			assert.Zero(t, r.GBPerS)
		}
	}
	of := []string{"bare-h2d", "h2d", "h2d-pageable", "bare-d2h", "bare-d2h-each", "get", "d2h", "hold", "use", "overlap"}
	var want []string
	for i := range 2 {
		for _, s := range of {
			want = append(want, fmt.Sprint(s, " ", i+1))
		}
	}
	assert.Equal(t, want, steps)
	// For each size: a batch to the device and back, for verification. In each round: three runs and the overlap to the
	// device, one batch to be copied back, and three runs of copying it back.
	c := f.Counters()
	assert.EqualValues(t, 3*size*(1+rounds*(4*batches+1)), c.ToDeviceBytes)
	assert.EqualValues(t, 3*size*(1+rounds*3*batches), c.ToHostBytes)
	assert.EqualValues(t, 3*size*rounds*batches, c.PageableBytes)
	assert.EqualValues(t, 2*rounds*2*batches, c.Launches)
}

func TestHostKinds(t *testing.T) {
	f := fake.New(t, fake.Settings{})
	for device, engine := range map[string]string{"host": "plain", "pinned": "registered"} {
		results, err := copies.Measure(t.Context(),
			copies.Options{Device: device, Driver: f.File, Sizes: []int{4096}, Rounds: 1, Batches: 3})
		require.NoError(t, err)
		require.Len(t, results, 3)
		assert.Equal(t, engine, results[2].Engine)
	}
}

func TestRefused(t *testing.T) {
	f := fake.Start(t, fake.Settings{Memory: 100000})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		o    copies.Options
		want error
	}{
		{t.Context(), copies.Options{Device: "cuda:0", Driver: "/nowhere/libcuda.so.1"}, spool.ErrDevice},
		{t.Context(), copies.Options{Device: "tpu"}, spool.ErrOptions},
		{t.Context(), copies.Options{Device: "host", Rounds: -1}, spool.ErrOptions},
		{t.Context(), copies.Options{Device: "host", Sizes: []int{0}}, spool.ErrOptions},
		{t.Context(), copies.Options{Driver: f.File, Sizes: []int{1 << 20}}, spool.ErrOutOfMemory},
		{ended, copies.Options{Device: "host", Sizes: []int{100}}, context.Canceled},
	} {
		_, err := copies.Measure(c.ctx, c.o)
		require.ErrorIs(t, err, c.want)
	}
	assert.Zero(t, f.Counters().InUse())
}
