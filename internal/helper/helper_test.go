package helper_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/helper"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/timing"
)

// newPool makes a pool of helpers that run this program.
func newPool(t *testing.T, change ...func(o *helper.Options)) *helper.Pool {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	o := helper.Options{Command: []string{self}, Processes: 1, Input: 1 << 20, Output: 64 << 20, Memory: 1 << 30}
	for _, c := range change {
		c(&o)
	}
	p, err := helper.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// do runs a command with an input, and returns its reply.
func do(ctx context.Context, p *helper.Pool, what string, input []byte) (reply string, err error) {
	err = p.Do(ctx, helper.Task{Head: command{Do: what, Size: 100}, Input: input,
		Use: func(r json.RawMessage, _ []byte) error { reply = string(r); return nil }})
	return reply, err
}

func TestDo(t *testing.T) {
	p := newPool(t, func(o *helper.Options) { o.Processes = 2 })
	var tasks sync.WaitGroup
	for i := range 20 {
		tasks.Go(func() {
			input := bytes.Repeat([]byte{byte(i), 1, 2}, 1000*i)
			want := slices.Clone(input)
			slices.Reverse(want)
			err := p.Do(t.Context(), helper.Task{Head: command{Do: "echo"}, Input: input,
				Use: func(reply json.RawMessage, output []byte) error {
					var n int
					assert.NoError(t, json.Unmarshal(reply, &n))
					assert.Equal(t, len(input), n)
					assert.True(t, bytes.Equal(want, output[:n]))
					return nil
				}})
			assert.NoError(t, err)
		})
	}
	tasks.Wait()
}

func TestTopic(t *testing.T) {
	p := newPool(t)
	var reply string
	require.NoError(t, p.Do(t.Context(), helper.Task{Topic: "images", Head: command{Do: "topic"},
		Use: func(r json.RawMessage, _ []byte) error { return json.Unmarshal(r, &reply) }}))
	assert.Equal(t, "images", reply)
	err := p.Do(t.Context(), helper.Task{Topic: strings.Repeat("x", 256), Head: command{Do: "topic"}})
	assert.ErrorIs(t, err, spool.ErrInternal)
}

func TestQuestions(t *testing.T) {
	p := newPool(t)
	var reply string
	answer := any("an answer")
	var refused error
	task := helper.Task{Head: command{Do: "ask"},
		Answer: func(q json.RawMessage, _ []byte) (any, error) {
			assert.JSONEq(t, `"the question"`, string(q))
			return answer, refused
		},
		Use: func(r json.RawMessage, _ []byte) error { return json.Unmarshal(r, &reply) }}
	require.NoError(t, p.Do(t.Context(), task))
	assert.Equal(t, "an answer!", reply)

	refused = errors.New("no")
	require.Equal(t, refused, p.Do(t.Context(), task), "the very error")
	refused = nil
	require.NoError(t, p.Do(t.Context(), task), "the helper goes on")
}

func TestErrorsOfTasks(t *testing.T) {
	p := newPool(t)
	before, err := do(t.Context(), p, "pid", nil)
	require.NoError(t, err)

	_, err = do(t.Context(), p, "fail", nil)
	require.EqualError(t, err, "decode: corrupt: bad (libx 7)")
	assert.ErrorIs(t, err, spool.ErrCorrupt)
	_, err = do(t.Context(), p, "shape", nil)
	require.EqualError(t, err, "wrong shape: 3 and 4")
	assert.ErrorIs(t, err, spool.ErrShape)
	_, err = do(t.Context(), p, "odd", nil)
	require.EqualError(t, err, "odd")
	assert.ErrorIs(t, err, spool.ErrInternal)
	_, err = do(t.Context(), p, "echo", make([]byte, 1<<20+1))
	assert.ErrorIs(t, err, spool.ErrTooLarge)

	after, err := do(t.Context(), p, "pid", nil)
	require.NoError(t, err)
	assert.Equal(t, before, after, "the helper goes on after an error")
}

// TestDeaths has helpers die in each way. Only the task fails, and the next one finds another helper.
func TestDeaths(t *testing.T) {
	p := newPool(t, func(o *helper.Options) { o.CPU = 200 * time.Millisecond })
	for _, c := range []struct {
		do    string
		class spool.Class
		text  string
	}{
		{"crash", spool.ErrCrashed, "signal 11"},
		{"abort", spool.ErrCrashed, "signal 6 (aborted)"},
		{"panic", spool.ErrCrashed, "exit code 2"},
		{"exit", spool.ErrCrashed, "exit code 9"},
		{"loop", spool.ErrTimeout, "more than 200ms"},
		{"sleep", spool.ErrTimeout, "more than 200ms"},
		{"allocate", spool.ErrCrashed, "the helper ended"},
		{"lie", spool.ErrCrashed, "broke the protocol"},
	} {
		if testing.Short() && (c.do == "abort" || c.do == "exit" || c.do == "sleep") {
			continue // as those before them
		}
		t.Run(c.do, func(t *testing.T) {
			_, err := do(t.Context(), p, c.do, []byte(c.do))
			require.ErrorIs(t, err, c.class)
			assert.ErrorContains(t, err, c.text)
			reply, err := do(t.Context(), p, "echo", []byte("good"))
			require.NoError(t, err)
			assert.Equal(t, "4", reply)
		})
	}
}

// TestDeathOfOthers has a helper killed between two tasks.
func TestDeathOfOthers(t *testing.T) {
	p := newPool(t)
	var pid int
	text, err := do(t.Context(), p, "pid", nil)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal([]byte(text), &pid))
	require.NoError(t, unix.Kill(pid, unix.SIGKILL))
	for unix.Kill(pid, 0) == nil { // until it is waited for
		time.Sleep(time.Millisecond) //nolint:forbidigo // nothing tells
	}
	for {
		reply, err := do(t.Context(), p, "pid", nil)
		if errors.Is(err, spool.ErrCrashed) {
			continue // the pool did not know yet
		}
		require.NoError(t, err)
		assert.NotEqual(t, text, reply)
		return
	}
}

// TestRestart has helpers die, and measures the next task. This program has no libraries to load, so it is the time of
// the pool and of Go: python/tests/test_isolate.py has that of the library's helper.
func TestRestart(t *testing.T) {
	p := newPool(t)
	var took []time.Duration
	for i := range 21 {
		_, err := do(t.Context(), p, "crash", []byte{byte(i)})
		require.ErrorIs(t, err, spool.ErrCrashed)
		begin := time.Now()
		_, err = do(t.Context(), p, "echo", []byte("good"))
		took = append(took, time.Since(begin))
		require.NoError(t, err)
	}
	slices.Sort(took)
	timing.Within(t, took[len(took)/2], 20*time.Millisecond, "the first task after a crash, in the middle,")
}

func TestQuarantine(t *testing.T) {
	p := newPool(t)
	bad := []byte("the same bytes")
	for range 2 {
		_, err := do(t.Context(), p, "exit", bad)
		require.ErrorContains(t, err, "decode: crashed: the helper ended with exit code 9")
	}
	before, err := do(t.Context(), p, "pid", nil)
	require.NoError(t, err)
	_, err = do(t.Context(), p, "exit", bytes.Clone(bad))
	require.EqualError(t, err,
		"decode: crashed: refused, it has ended 2 helpers: the helper ended with exit code 9")
	after, err := do(t.Context(), p, "pid", []byte("other bytes..."))
	require.NoError(t, err, "of the same size")
	assert.Equal(t, before, after, "no helper was lost")
}

// TestKillsFromOutside kills helpers during tasks, as people and systems without memory do. The input is not refused.
func TestKillsFromOutside(t *testing.T) {
	p := newPool(t)
	task := func(input string, answer func(pid int)) error {
		return p.Do(t.Context(), helper.Task{Head: command{Do: "ask pid"}, Input: []byte(input), Source: []byte("a source"),
			Answer: func(q json.RawMessage, _ []byte) (any, error) {
				var pid int
				assert.NoError(t, json.Unmarshal(q, &pid))
				answer(pid)
				return "an answer", nil
			},
			Use: func(json.RawMessage, []byte) error { return nil }})
	}
	for _, s := range []unix.Signal{unix.SIGKILL, unix.SIGTERM, unix.SIGKILL} {
		err := task("wait", func(pid int) { assert.NoError(t, unix.Kill(pid, s)) })
		require.ErrorIs(t, err, spool.ErrCrashed)
		assert.ErrorContains(t, err, fmt.Sprintf("signal %d (%v) from outside", s, s))
	}
	require.NoError(t, task("", func(int) {}))
}

func TestCancel(t *testing.T) {
	p := newPool(t)
	_, err := do(t.Context(), p, "pid", nil)
	require.NoError(t, err)
	for _, what := range []string{"loop", "sleep"} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		for range 3 { // it never counts against the input
			_, err = do(ctx, p, what, []byte(what))
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
		cancel()
	}
	reply, err := do(t.Context(), p, "echo", []byte("good"))
	require.NoError(t, err)
	assert.Equal(t, "4", reply)
}

// TestRandomCancels ends contexts at any moment. A helper that was killed is never used again.
func TestRandomCancels(t *testing.T) {
	for _, processes := range []int{1, 2} {
		t.Run(fmt.Sprint(processes), func(t *testing.T) { cancelAtRandom(t, processes) })
	}
}

func cancelAtRandom(t *testing.T, processes int) {
	t.Helper()
	p := newPool(t, func(o *helper.Options) { o.Processes = processes })
	var tasks sync.WaitGroup
	for worker := range 4 {
		tasks.Go(func() {
			for i := range 25 {
				ctx, cancel := context.WithCancel(t.Context())
				timer := time.AfterFunc(time.Duration(i*worker)*10*time.Microsecond, cancel)
				_, err := do(ctx, p, "echo", []byte("good"))
				timer.Stop()
				if err != nil {
					assert.ErrorIs(t, err, context.Canceled)
				}
				cancel()
				_, err = do(t.Context(), p, "echo", []byte("good"))
				assert.NoError(t, err)
			}
		})
	}
	tasks.Wait()
}

func TestFence(t *testing.T) {
	p := newPool(t)
	fence, err := p.Check(t.Context())
	require.NoError(t, err)
	if fence != (helper.Fence{}) {
		need.Skip(t, need.System, "no fence: %+v", fence)
	}
	for name := range escapes {
		t.Run(name, func(t *testing.T) {
			reply, err := do(t.Context(), p, name, nil)
			require.NoError(t, err)
			assert.Contains(t, reply, "operation not permitted")
		})
	}
	assert.NoFileExists(t, "/tmp/spool-helper-escaped")
}

// TestMemoryIsGivenBack checks that a helper keeps only some of the memory that tasks have written.
func TestMemoryIsGivenBack(t *testing.T) {
	p := newPool(t)
	for range 3 {
		_, err := do(t.Context(), p, "write", nil)
		require.NoError(t, err)
	}
	assert.Less(t, shared(t), 40<<10, "kB")
}

// shared is the shared memory of this process that is resident, in kB.
func shared(t *testing.T) (kb int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, rest, found := bytes.Cut(text, []byte("RssShmem:"))
	require.True(t, found)
	for _, c := range rest {
		if c >= '0' && c <= '9' {
			kb = 10*kb + int(c-'0')
		} else if c == 'k' {
			break
		}
	}
	return kb
}

func TestStartFails(t *testing.T) {
	for name, c := range map[string]struct {
		change func(o *helper.Options)
		text   string
	}{
		"no program":  {func(o *helper.Options) { o.Command = []string{"/no/such"} }, "no such file"},
		"no helper":   {func(o *helper.Options) { o.Command = []string{"/bin/true"} }, "it ended"},
		"its refusal": {func(o *helper.Options) { o.Setup = "refuse" }, "no such library"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPool(t, c.change)
			for range 2 {
				_, err := do(t.Context(), p, "echo", nil)
				require.ErrorIs(t, err, spool.ErrIO)
				assert.ErrorContains(t, err, "cannot start a helper")
				assert.ErrorContains(t, err, c.text)
			}
		})
	}
	_, err := helper.New(helper.Options{})
	assert.ErrorIs(t, err, spool.ErrOptions)
	t.Setenv("SPOOL_HELPER_OF", "1")
	_, err = helper.New(helper.Options{Command: []string{"x"}})
	assert.ErrorIs(t, err, spool.ErrOptions)
}

func TestClose(t *testing.T) {
	p := newPool(t)
	_, err := do(t.Context(), p, "echo", nil)
	require.NoError(t, err)
	running := make(chan error)
	go func() {
		_, err := do(t.Context(), p, "echo", nil)
		running <- err
	}()
	require.NoError(t, p.Close())
	if err := <-running; err != nil {
		require.ErrorIs(t, err, spool.ErrClosed)
	}
	_, err = do(t.Context(), p, "echo", nil)
	require.ErrorIs(t, err, spool.ErrClosed)
	require.NoError(t, p.Close())
}

func BenchmarkDo(b *testing.B) {
	self, err := os.Executable()
	require.NoError(b, err)
	p, err := helper.New(helper.Options{Command: []string{self}, Processes: 1, Input: 1 << 20, Output: 64 << 20,
		Memory: 1 << 30})
	require.NoError(b, err)
	defer p.Close()
	for b.Loop() {
		_, err := do(b.Context(), p, "echo", nil)
		require.NoError(b, err)
	}
}
