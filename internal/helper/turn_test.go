package helper_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/helper"
)

// first has the only helper of p do a task that asks for an answer. The function during is called before the helper
// gets it, with the helper's process ID. With wait, the helper then sleeps for ever.
func first(ctx context.Context, p *helper.Pool, wait bool, during func(pid int)) error {
	var input []byte
	if wait {
		input = []byte("wait")
	}
	return p.Do(ctx, helper.Task{Head: command{Do: "ask pid"}, Input: input, Source: []byte("first"),
		Answer: func(q json.RawMessage, _ []byte) (any, error) {
			var pid int
			if err := json.Unmarshal(q, &pid); err != nil {
				return nil, err
			}
			during(pid)
			return "an answer", nil
		},
		Use: func(json.RawMessage, []byte) error { return nil }})
}

// result is what do returns.
type result struct {
	reply string
	err   error
}

// queued begins a task, and returns once it has the only helper of p, which has another task.
func queued(ctx context.Context, p *helper.Pool, what string, input []byte) <-chan result {
	end := make(chan result, 1)
	go func() {
		reply, err := do(ctx, p, what, input)
		end <- result{reply, err}
	}()
	for p.Tasks() < 2 {
		runtime.Gosched()
	}
	return end
}

// TestQueue has two tasks in one helper, many times. Each gets its own answers, and has its own memory.
func TestQueue(t *testing.T) {
	p := newPool(t)
	var tasks sync.WaitGroup
	for worker := range 2 {
		tasks.Go(func() {
			for i := range 50 {
				input := fmt.Appendf(nil, "%d of %d", i, worker)
				err := p.Do(t.Context(), helper.Task{Head: command{Do: "ask and echo"}, Input: input,
					Answer: func(json.RawMessage, []byte) (any, error) { return i, nil },
					Use: func(reply json.RawMessage, output []byte) error {
						assert.Equal(t, fmt.Sprint(i), string(reply))
						assert.Equal(t, input, output[:len(input)])
						return nil
					}})
				assert.NoError(t, err)
			}
		})
	}
	tasks.Wait()
}

// TestQueuedTask has a helper die at its first task. The second one is done by another helper.
func TestQueuedTask(t *testing.T) {
	p := newPool(t)
	for range 3 { // it never counts against the second one
		var second <-chan result
		err := first(t.Context(), p, true, func(pid int) {
			second = queued(t.Context(), p, "echo", []byte("good"))
			assert.NoError(t, unix.Kill(pid, unix.SIGKILL))
		})
		require.ErrorIs(t, err, spool.ErrCrashed)
		assert.Equal(t, result{"4", nil}, <-second)
	}
}

// TestQueuedCrash has a helper die at its second task. The first one is done.
func TestQueuedCrash(t *testing.T) {
	p := newPool(t)
	for i := range 3 {
		var second <-chan result
		err := first(t.Context(), p, false, func(int) {
			if i < 2 {
				second = queued(t.Context(), p, "exit", []byte("bad"))
			}
		})
		require.NoError(t, err)
		if i < 2 {
			assert.ErrorContains(t, (<-second).err, "decode: crashed: the helper ended with exit code 9")
		}
	}
	_, err := do(t.Context(), p, "exit", []byte("bad"))
	assert.ErrorContains(t, err, "refused, it has ended 2 helpers")
}

// TestQueuedCancel ends the context of a task that is behind another one. It ends at once, and the first one is done.
func TestQueuedCancel(t *testing.T) {
	p := newPool(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	require.NoError(t, first(t.Context(), p, false, func(int) {
		second := queued(ctx, p, "sleep", []byte("long"))
		cancel()
		assert.ErrorIs(t, (<-second).err, context.Canceled)
	}))
	reply, err := do(t.Context(), p, "echo", []byte("good"))
	require.NoError(t, err)
	assert.Equal(t, "4", reply)
}

// TestCancelBeforeQueued ends the context of a helper's first task. The second one is done by another helper.
func TestCancelBeforeQueued(t *testing.T) {
	p := newPool(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var second <-chan result
	err := first(ctx, p, true, func(int) {
		second = queued(t.Context(), p, "echo", []byte("good"))
		cancel()
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, result{"4", nil}, <-second)
}

// TestUseOfFirst has a task wait in Task.Use for the end of the one behind it, as memory may.
func TestUseOfFirst(t *testing.T) {
	p := newPool(t)
	var second <-chan result
	err := p.Do(t.Context(), helper.Task{Head: command{Do: "ask"},
		Answer: func(json.RawMessage, []byte) (any, error) {
			second = queued(t.Context(), p, "echo", []byte("good"))
			return "an answer", nil
		},
		Use: func(json.RawMessage, []byte) error {
			assert.Equal(t, result{"4", nil}, <-second)
			return nil
		}})
	require.NoError(t, err)
}
