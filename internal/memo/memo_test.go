package memo_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/memo"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func Example() {
	texts := memo.New[string](100, func(text string) int64 { return int64(len(text)) })
	load := func(context.Context) (string, error) { return "slow to make", nil }
	for range 2 {
		fmt.Println(texts.Get(context.Background(), "key", load))
	}
	// Output:
	// slow to make true <nil>
	// slow to make false <nil>
}

// Of concurrent calls one loads, and all others get its value.
func TestConcurrentCallsLoadOnce(t *testing.T) {
	c := memo.New[int](1000, func(int) int64 { return 1 })
	var loads atomic.Int64
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for key := range 100 {
				v, _, err := c.Get(t.Context(), key, func(context.Context) (int, error) {
					loads.Add(1)
					return 2 * key, nil
				})
				assert.NoError(t, err)
				assert.Equal(t, 2*key, v)
			}
		})
	}
	wait.Wait()
	assert.EqualValues(t, 100, loads.Load())
}

// If a load fails or panics, a waiting call loads again.
func TestFailedLoadsAreRepeated(t *testing.T) {
	for _, fail := range []func() error{func() error { return errors.New("broken") }, func() error { panic("broken") }} {
		c := memo.New[string](1000, func(int) int64 { return 1 })
		begun, release := make(chan struct{}), make(chan struct{})
		var wait sync.WaitGroup
		wait.Go(func() {
			defer func() { _ = recover() }()
			_, loaded, err := c.Get(t.Context(), "key", func(context.Context) (int, error) {
				close(begun)
				<-release
				return 1, fail()
			})
			assert.True(t, loaded)
			assert.Error(t, err)
		})
		<-begun
		ended, end := context.WithCancel(t.Context())
		end()
		_, loaded, err := c.Get(ended, "key", nil)
		assert.False(t, loaded)
		require.ErrorIs(t, err, context.Canceled)
		wait.Go(func() {
			v, loaded, err := c.Get(t.Context(), "key", func(context.Context) (int, error) { return 2, nil })
			assert.NoError(t, err)
			assert.True(t, loaded)
			assert.Equal(t, 2, v)
		})
		close(release)
		wait.Wait()
	}
}
