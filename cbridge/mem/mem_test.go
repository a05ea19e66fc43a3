package mem_test

import (
	"bytes"
	"fmt"
	"math"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse})
}

func TestAllocGivesZeroedAlignedMemory(t *testing.T) {
	for _, n := range []int{1, 4, 63, 64, 65, 4096, 1<<20 + 1} {
		for range 3 { // malloc returns freed memory again, with its old content
			p, err := mem.Alloc(mem.Scratch, n)
			require.NoError(t, err)
			assert.Zero(t, uintptr(p)%mem.Alignment, "%d bytes", n)
			block := unsafe.Slice((*byte)(p), n)
			assert.Equal(t, n, bytes.Count(block, []byte{0}), "zeros in %d bytes", n)
			for i := range block {
				block[i] = 0xAA
			}
			mem.Free(mem.Scratch, p, n)
		}
	}
}

func TestUseIsCountedByPurpose(t *testing.T) {
	before := mem.InUse()
	reader, err := mem.Alloc(mem.Reader, 4)
	require.NoError(t, err)
	sink, err := mem.Alloc(mem.Sink, 100)
	require.NoError(t, err)
	assert.Equal(t, map[mem.Purpose]mem.Usage{mem.Reader: {Blocks: 1, Bytes: 4}, mem.Sink: {Blocks: 1, Bytes: 100}},
		mem.Stats())
	assert.Equal(t, before+104, mem.InUse())
	mem.Free(mem.Reader, reader, 4)
	mem.Free(mem.Sink, sink, 100)
	assert.Equal(t, before, mem.InUse())
	assert.Empty(t, mem.Stats())
}

func TestFreeOfMoreThanWasAllocatedPanics(t *testing.T) {
	p, err := mem.Alloc(mem.Reader, 8)
	require.NoError(t, err)
	mem.Free(mem.Reader, p, 8)
	word := new(int64) // never passed to free: the count is checked first
	assert.Panics(t, func() { mem.Free(mem.Reader, unsafe.Pointer(word), 8) })
	mem.ResetForTest(mem.Reader)
	mem.Free(mem.Reader, nil, 8)
	assert.Empty(t, mem.Stats())
}

func TestImpossibleSizes(t *testing.T) {
	for _, n := range []int{math.MaxInt, 1<<36 + 1} {
		_, err := mem.Alloc(mem.Scratch, n)
		assert.ErrorIs(t, err, spool.ErrOutOfMemory)
	}
	assert.Panics(t, func() { _, _ = mem.Alloc(mem.Scratch, 0) })
	assert.Panics(t, func() { _, _ = mem.Alloc(mem.Scratch, -1) })
	assert.Empty(t, mem.Stats())
}

func TestConcurrentUse(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			purpose := mem.Purpose(g % 3)
			for n := 1; n < 200; n++ {
				p, err := mem.Alloc(purpose, n)
				if assert.NoError(t, err) {
					mem.Free(purpose, p, n)
				}
			}
		})
	}
	wg.Wait()
	assert.Zero(t, mem.InUse())
}

func TestPurposeNames(t *testing.T) {
	assert.Equal(t, "reader", mem.Reader.String())
	assert.Equal(t, "scratch", mem.Scratch.String())
	assert.Equal(t, "unknown", mem.Purpose(200).String())
}

func Example() {
	p, err := mem.Alloc(mem.Scratch, 16)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("in use:", mem.Stats())
	mem.Free(mem.Scratch, p, 16)
	fmt.Println("left:", mem.InUse())
	// Output:
	// in use: map[scratch:{1 16}]
	// left: 0
}

func BenchmarkAllocFree(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		p, err := mem.Alloc(mem.Reader, 4)
		if err != nil {
			b.Fatal(err)
		}
		mem.Free(mem.Reader, p, 4)
	}
}
