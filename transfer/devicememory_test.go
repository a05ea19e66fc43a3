package transfer_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/transfer"
)

// lender is memory of another library.
type lender struct {
	context *cuda.Context
	mu      sync.Mutex
	held    map[uint64]int
	full    bool
}

func (l *lender) Alloc(n, device int, s spool.DeviceStream) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.full || device != 0 || s == 0 {
		return 0, spool.ErrOutOfMemory
	}
	p, err := l.context.Alloc(n)
	if err == nil {
		l.held[uint64(p)] = n
	}
	return uint64(p), err
}

func (l *lender) Free(memory uint64, n, _ int, _ spool.DeviceStream) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[memory] != n {
		return spool.ErrInternal
	}
	delete(l.held, memory)
	return l.context.Free(cuda.Pointer(memory))
}

// All memory of batches, and of bytes that are converted, comes from the allocator and goes back to it.
func TestDeviceMemory(t *testing.T) {
	r := newRig(t, transfer.CopierOptions{}, fake.Settings{DelayMicros: 100})
	file := ""
	if r.fake != nil {
		file = r.fake.File
	}
	l := &lender{context: r.theirs, held: map[uint64]int{}}
	d, err := transfer.Open("cuda:0", transfer.DeviceOptions{Driver: file, Memory: l})
	require.NoError(t, err)
	defer func() { assert.NoError(t, d.Close()) }()
	c, err := transfer.NewCopier(d, transfer.CopierOptions{Slabs: 2})
	require.NoError(t, err)
	n, err := transfer.NewNormalizer(c, transfer.NormalizerOptions{DType: spool.Float16})
	require.NoError(t, err)
	random := seed.Rand(t)
	of := func(side int) spool.Desc {
		return spool.Desc{Shape: spool.Shape{side, side, 3}, Layout: spool.HWC}
	}
	for side := 4; side < 8; side++ { // slabs grow
		b, err := n.Copy(withTimeout(t), r.noise(t, random, 2, of(side)), nil)
		require.NoError(t, err)
		l.mu.Lock()
		assert.Contains(t, l.held, b.Arrays()[0].Pointer)
		l.mu.Unlock()
		require.NoError(t, b.Wait(withTimeout(t)))
		b.Release()
	}
	l.mu.Lock()
	assert.Len(t, l.held, 3)
	l.full = true
	l.mu.Unlock()
	large := r.noise(t, random, 2, of(64))
	_, err = n.Copy(withTimeout(t), large, nil)
	require.ErrorIs(t, err, spool.ErrOutOfMemory)
	large.Release()
	require.NoError(t, c.Close())
	assert.Empty(t, l.held)
}
