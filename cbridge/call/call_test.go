package call_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/parts"
	"github.com/spoolmedia/spool/internal/seed"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse},
		leaktest.Count{Name: "admitted calls", Now: call.Admitted})
}

func flagOf(c *call.Call) *int32 { return (*int32)(c.Flag()) }

func TestEndlessContextNeedsNoFlag(t *testing.T) {
	c, err := call.Enter(context.Background(), 1)
	require.NoError(t, err)
	assert.Nil(t, c.Flag())
	assert.NoError(t, c.Err())
	c.Leave()
}

func TestFlagIsSetWhenTheContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c, err := call.Enter(ctx, 1)
	require.NoError(t, err)
	require.NotNil(t, c.Flag())
	cancel()
	awaitFlag(c)
	assert.ErrorIs(t, c.Err(), context.Canceled)
	c.Leave()
	assert.Zero(t, call.Admitted())
}

func TestFlagIsSetWhenTheDeadlinePasses(t *testing.T) {
	for d := time.Millisecond; ; d *= 2 { // a short deadline may pass before Enter
		ctx, stop := context.WithTimeout(t.Context(), d)
		c, err := call.Enter(ctx, 1)
		if err == nil {
			awaitFlag(c)
			assert.ErrorIs(t, c.Err(), context.DeadlineExceeded)
			c.Leave()
			stop()
			break
		}
		stop()
	}
	assert.Zero(t, call.Admitted())
}

func awaitFlag(c *call.Call) {
	for atomic.LoadInt32(flagOf(c)) == 0 {
		runtime.Gosched()
	}
}

func TestFlagStaysClearWhileTheContextLives(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c, err := call.Enter(ctx, 1)
	require.NoError(t, err)
	assert.Zero(t, atomic.LoadInt32(flagOf(c)))
	assert.NoError(t, c.Err())
	c.Leave()
	cancel()
	assert.Zero(t, call.Admitted())
}

func TestEnterOfAnEndedContextFails(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c, err := call.Enter(ctx, 1)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, c)
	assert.Zero(t, call.Admitted())
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	all, err := call.Enter(t.Context(), 1<<40) // clamped to the whole capacity
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() {
		_, err := call.Enter(ctx, 1)
		result <- err
	}()
	select {
	case err := <-result:
		t.Fatal("entered at full capacity: ", err)
	default:
	}
	cancel()
	assert.ErrorIs(t, <-result, context.Canceled)

	expiring, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	_, err = call.Enter(expiring, 1)
	assert.ErrorIs(t, err, context.DeadlineExceeded)

	all.Leave()
	c, err := call.Enter(t.Context(), 0) // the capacity is not reduced
	require.NoError(t, err)
	again, err := call.Enter(t.Context(), call.Capacity()-1)
	require.NoError(t, err, "a weight of 0 counts as 1")
	again.Leave()
	c.Leave()
}

// The observer of the context gets the parts of the call, and the wait for admission if there was one.
func TestParts(t *testing.T) {
	all, err := call.Enter(t.Context(), call.Capacity())
	require.NoError(t, err)
	assert.Zero(t, all.Begin(), "nobody observes it")
	all.Part("x", all.Begin())
	var names []string
	begun := time.Now()
	ctx := parts.With(t.Context(), func(name string, begin, end time.Time) {
		names = append(names, name)
		assert.LessOrEqual(t, begun, begin)
		assert.LessOrEqual(t, begin, end)
	})
	short, stop := context.WithTimeout(ctx, time.Millisecond)
	defer stop()
	_, err = call.Enter(short, 1)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, []string{"wait for other C calls"}, names)
	all.Leave()
	c, err := call.Enter(ctx, 1)
	require.NoError(t, err)
	c.Part("decode", c.Begin())
	c.Leave()
	assert.Equal(t, []string{"wait for other C calls", "decode"}, names, "the second call did not wait")
}

func TestLeaveTwicePanics(t *testing.T) {
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	c.Leave()
	assert.Panics(t, c.Leave)
}

// A thread that Go has started stays, so the number of threads at the end is the maximum.
func TestManyGoroutinesDoNotMakeManyThreads(t *testing.T) {
	tasks := func() int {
		entries, err := os.ReadDir("/proc/self/task")
		if err != nil {
			need.Skip(t, need.System, "no /proc: %v", err)
		}
		return len(entries)
	}
	goroutines := 64 + 4*int(call.Capacity())
	var ends [2]int
	require.NoError(t, syscall.Pipe(ends[:]))
	before := tasks()

	var inside, highest atomic.Int64
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			c, err := call.Enter(t.Context(), 1)
			if !assert.NoError(t, err) {
				return
			}
			defer c.Leave()
			for n, h := inside.Add(1), highest.Load(); n > h && !highest.CompareAndSwap(h, n); h = highest.Load() {
			}
			_, err = syscall.Read(ends[0], make([]byte, 1)) // blocks its thread, as C does
			assert.NoError(t, err)
			inside.Add(-1)
		})
	}
	for inside.Load() < call.Capacity() {
		runtime.Gosched()
	}
	_, err := syscall.Write(ends[1], make([]byte, goroutines))
	require.NoError(t, err)
	wg.Wait()
	assert.Equal(t, call.Capacity(), highest.Load())
	assert.LessOrEqual(t, tasks()-before, int(call.Capacity())+runtime.GOMAXPROCS(0)+4)
	assert.NoError(t, errors.Join(syscall.Close(ends[0]), syscall.Close(ends[1])))
}

func TestNoFlagIsSetAfterLeave(t *testing.T) {
	random := seed.Rand(t)
	var before, after int
	for round := range 3000 {
		ctx, cancel := context.WithCancel(t.Context())
		c, err := call.Enter(ctx, 1)
		require.NoError(t, err)
		calledOff, isSet := call.Watch(c)
		done, spins := make(chan struct{}), random.IntN(100)
		go func() {
			for range spins {
				runtime.Gosched()
			}
			cancel()
			close(done)
		}()
		for range random.IntN(100) {
			runtime.Gosched()
		}
		c.Leave()
		if *calledOff {
			after++
		} else {
			before++
			require.True(t, isSet(), "left before the setter was done: round %d", round)
		}
		<-done
		require.Equal(t, !*calledOff, isSet(), "round %d", round)
	}
	t.Logf("cancelled before Leave %d times, after it %d times", before, after)
	assert.Zero(t, call.Admitted())
}

func TestLeaveWaitsForTheSetter(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c, err := call.Enter(ctx, 1)
	require.NoError(t, err)
	call.SetterHasBegun(c)
	left := make(chan struct{})
	go func() {
		c.Leave()
		close(left)
	}()
	for range 1000 {
		runtime.Gosched()
	}
	select {
	case <-left:
		t.Error("Leave did not wait")
	default:
	}
	assert.Positive(t, call.Admitted(), "the call has ended while its setter is at work")
	cancel() // lets the setter run
	<-left
	assert.Zero(t, call.Admitted())
}

func TestConcurrentEntriesWithRandomCancels(t *testing.T) {
	seed := seed.Of(t)
	var wg sync.WaitGroup
	var inside atomic.Int64
	for g := range 64 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(g)))
			for range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				spins, weight := random.IntN(20), 1+random.Int64N(call.Capacity())
				go func() {
					for range spins {
						runtime.Gosched()
					}
					cancel()
				}()
				c, err := call.Enter(ctx, weight)
				if err != nil {
					assert.ErrorIs(t, err, context.Canceled)
					continue
				}
				assert.LessOrEqual(t, inside.Add(weight), call.Capacity())
				for range random.IntN(20) {
					runtime.Gosched()
				}
				if err := c.Err(); err != nil {
					assert.ErrorIs(t, err, context.Canceled)
				}
				inside.Add(-weight)
				c.Leave()
				cancel()
			}
		})
	}
	wg.Wait()
	assert.Zero(t, call.Admitted())
	c, err := call.Enter(t.Context(), call.Capacity())
	require.NoError(t, err)
	c.Leave()
}

func Example() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c, err := call.Enter(ctx, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Leave()
	cancel()
	for c.Err() == nil { // C would poll c.Flag() here
		runtime.Gosched()
	}
	fmt.Println(c.Err())
	// Output: context canceled
}

func BenchmarkEnterLeave(b *testing.B) {
	for name, ctx := range map[string]context.Context{"endless": context.Background(), "cancellable": b.Context()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c, err := call.Enter(ctx, 1)
				if err != nil {
					b.Fatal(err)
				}
				c.Leave()
			}
		})
	}
}

func TestSpoil(t *testing.T) {
	const n = 1000
	input := unsafe.Slice((*byte)(must(mem.Alloc(mem.Reader, n))), n)
	defer mem.Free(mem.Reader, unsafe.Pointer(&input[0]), n)
	full := bytes.Repeat([]byte{7}, n)
	copy(input, full)

	ctx, cancel := context.WithCancel(t.Context())
	c, err := call.Enter(ctx, 1)
	require.NoError(t, err)
	assert.False(t, c.Spoil(unsafe.Pointer(&input[0]), n)(), "the context lives")
	keep := c.Spoil(unsafe.Pointer(&input[0]), n)
	assert.Equal(t, full, input)
	cancel()
	awaitFlag(c)
	for !keep() { // the setter sets the flag first
		keep = c.Spoil(unsafe.Pointer(&input[0]), n)
	}
	assert.Equal(t, make([]byte, n), input)

	copy(input, full)
	keep = c.Spoil(unsafe.Pointer(&input[0]), n)
	assert.Equal(t, make([]byte, n), input, "the context had ended")
	assert.True(t, keep())
	c.Leave()
}

// The input is not written after keep, whenever the context ends.
func TestSpoilLeavesWhatIsKept(t *testing.T) {
	const n = 64
	random := seed.Rand(t)
	block := must(mem.Alloc(mem.Reader, n))
	defer mem.Free(mem.Reader, block, n)
	input := unsafe.Slice((*byte)(block), n)
	for round := range 2000 {
		ctx, cancel := context.WithCancel(t.Context())
		c, err := call.Enter(ctx, 1)
		require.NoError(t, err)
		keep := c.Spoil(block, n)
		done, spins := make(chan struct{}), random.IntN(50)
		go func() {
			for range spins {
				runtime.Gosched()
			}
			cancel()
			close(done)
		}()
		for range random.IntN(50) {
			runtime.Gosched()
		}
		keep()
		for i := range input { // the race detector reports a concurrent write
			input[i] = 7
		}
		<-done
		c.Leave()
		require.Equal(t, bytes.Repeat([]byte{7}, n), input, "round %d", round)
	}
}

func must(p unsafe.Pointer, err error) unsafe.Pointer {
	if err != nil {
		panic(err)
	}
	return p
}
