package pipe_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/pipe"
)

// file is an item with a name.
type file string

func (p file) ID() string   { return "id of " + string(p) }
func (p file) File() string { return string(p) + ".jpg" }

// drawn is a file with random numbers.
type drawn struct {
	file
	epoch, occurrence int
}

func (d drawn) Draw() (epoch, occurrence int) { return d.epoch, d.occurrence }

// The ledger records what an item's random numbers depend on, in addition to its id.
func TestLedgerSaysWhatWasDrawn(t *testing.T) {
	var lines strings.Builder
	p := pipe.New(pipe.Options{OnFailure: pipe.Skip, Ledger: pipe.NewJSONLedger(&lines)})
	src := pipe.FromSeq(p, "list", slices.Values([]drawn{{"a", 0, 0}, {"b", 3, 0}, {"c", 0, 2}}))
	_, err := collect(t.Context(), t,
		pipe.Map(src, "decode", pipe.Stage{}, func(context.Context, drawn) (int, error) { return 0, errTorn }))
	require.NoError(t, err)
	assert.Equal(t, `{"id":"id of a","file":"a.jpg","stage":"decode","class":"error","text":"torn","attempts":1,"action":"skip"}
{"id":"id of b","file":"b.jpg","stage":"decode","class":"error","text":"torn","attempts":1,"action":"skip","epoch":3}
{"id":"id of c","file":"c.jpg","stage":"decode","class":"error","text":"torn","attempts":1,"action":"skip","occurrence":2}
`, lines.String())
}

var errTorn = errors.New("torn")

// tear fails for numbers divisible by by.
func tear(by int) func(context.Context, int) (int, error) {
	return func(_ context.Context, n int) (int, error) {
		if n%by == 0 {
			return 0, errTorn
		}
		return n, nil
	}
}

func TestLedgerLines(t *testing.T) {
	var lines strings.Builder
	p := pipe.New(pipe.Options{
		OnFailure: pipe.Skip,
		Ledger:    pipe.NewJSONLedger(&lines),
		Describe: func(f *pipe.Failure) {
			if errors.Is(f.Err, errTorn) {
				f.Class, f.Text = "truncated", "half of <it> is missing"
			}
		},
	})
	src := pipe.FromSeq(p, "list", func(yield func(file) bool) {
		_ = yield("good") && yield("bad") && yield("odd")
	})
	decoded := pipe.Map(src, "decode", pipe.Stage{}, func(_ context.Context, pic file) (string, error) {
		if pic == "bad" {
			return "", fmt.Errorf("%s: %w", pic, errTorn)
		}
		return string(pic), nil
	})
	_, err := collect(t.Context(), t,
		pipe.Map(decoded, "resize", pipe.Stage{}, func(_ context.Context, s string) (string, error) {
			if s == "odd" {
				p.Record(pipe.Failure{ID: "id of odd", File: "odd.jpg", Stage: "resize", Action: "placeholder",
					Err: errors.New("too odd")})
				return "placeholder", nil
			}
			return s, nil
		}))
	require.NoError(t, err)
	assert.Equal(t, `{"id":"id of bad","file":"bad.jpg","stage":"decode","class":"truncated","text":"half of <it> is missing","attempts":1,"action":"skip"}
{"id":"id of odd","file":"odd.jpg","stage":"resize","class":"error","text":"too odd","attempts":1,"action":"placeholder"}
`, lines.String())

	r := p.Report()
	assert.EqualValues(t, 2, r.Failures)
	assert.EqualValues(t, 1, r.Stages[1].Failures, "decode")
	assert.EqualValues(t, 2, r.Stages[1].Items, "decode")
	assert.EqualValues(t, 1, r.Stages[2].Failures, "resize: recorded by the caller")
	assert.EqualValues(t, 2, r.Stages[2].Items, "resize: the placeholder is an item")
}

func TestFailureReadsBackFromItsLine(t *testing.T) {
	var line strings.Builder
	f := pipe.Failure{ID: "7", File: "a.jpg", Stage: "decode", Class: "corrupt", Text: "no", Attempts: 2,
		Action: pipe.ActionSkip}
	require.NoError(t, pipe.NewJSONLedger(&line).Add(f))
	var back pipe.Failure
	require.NoError(t, json.Unmarshal([]byte(line.String()), &back))
	assert.Equal(t, f, back)
}

func TestItemsWithoutAnIDAreNumbered(t *testing.T) {
	ledger := &pipe.MemoryLedger{}
	p := pipe.New(pipe.Options{OnFailure: pipe.Skip, Ledger: ledger})
	flow := pipe.Map(pipe.FromSeq(p, "count", count(9)), "tear", pipe.Stage{}, tear(4))
	_, err := collect(t.Context(), t, flow)
	require.NoError(t, err)
	var ids []string
	for _, f := range ledger.Failures() {
		ids = append(ids, f.ID)
		assert.Equal(t, pipe.Failure{ID: f.ID, Stage: "tear", Class: "error", Text: "torn", Attempts: 1,
			Action: pipe.ActionSkip, Err: errTorn}, f)
	}
	assert.Equal(t, []string{"0", "4", "8"}, ids)
}

type brokenLedger struct{}

func (brokenLedger) Add(pipe.Failure) error { return io.ErrShortWrite }

func TestLedgerErrorEndsTheRun(t *testing.T) {
	p := pipe.New(pipe.Options{Ledger: brokenLedger{}})
	flow := pipe.Map(pipe.FromSeq(p, "count", count(1_000_000)), "tear", pipe.Stage{}, tear(100))
	_, err := collect(t.Context(), t, flow)
	assert.ErrorIs(t, err, io.ErrShortWrite)
	assert.ErrorContains(t, err, "ledger")
}

// If the ledger does not take a failure, the loop gets nothing that comes after it: a state would count the item as
// done, and no ledger would have it.
func TestLedgerErrorEndsTheRunAtTheFailure(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		p := pipe.New(pipe.Options{OnFailure: pipe.Skip, Ledger: brokenLedger{}})
		flow := pipe.Map(pipe.FromSeq(p, "count", count(10)), "tear", pipe.Stage{Workers: 2},
			func(_ context.Context, n int) (int, error) {
				if n == 3 {
					time.Sleep(time.Hour) // the loop waits for it, and later items are done
					return 0, errTorn
				}
				return n, nil
			})
		got, err := collect(t.Context(), t, flow)
		require.ErrorIs(t, err, io.ErrShortWrite)
		assert.Equal(t, []int{0, 1, 2}, got)
	})
}

// In an Ordered stage, a failure that ends the run passes on exactly the results that one worker would have delivered
// before it. The item before it is still in work; of the items after it, some are done, one has failed before, and one
// fails later.
func TestFailDeliversWhatComesBefore(t *testing.T) {
	for _, workers := range []int{1, 2, 8, 64} {
		bubble.Test(t, func(t *testing.T) {
			var calls atomic.Int64
			p := pipe.New(pipe.Options{OnFailure: pipe.Fail})
			slow := pipe.Map(pipe.FromSeq(p, "count", count(1000)), "slow", pipe.Stage{Workers: workers, Queue: 100},
				func(ctx context.Context, n int) (int, error) {
					calls.Add(1)
					switch n {
					case 49:
						time.Sleep(time.Hour)
						return n, ctx.Err()
					case 50:
						time.Sleep(2 * time.Minute)
						return 0, errTorn
					case 55:
						time.Sleep(time.Minute)
						return 0, errTorn
					case 60:
						time.Sleep(3 * time.Minute)
						return 0, errTorn
					}
					return n, nil
				})
			flow := pipe.Map(slow, "after", pipe.Stage{Workers: workers}, same)
			var delivered []int
			var last error
			for n, err := range flow.All(t.Context()) {
				require.NoError(t, last)
				if last = err; err == nil {
					delivered = append(delivered, n)
				}
			}
			assert.Equal(t, slices.Collect(count(50)), delivered)
			var f *pipe.Failure
			require.ErrorAs(t, last, &f)
			assert.Equal(t, "slow: 50: torn", f.Error())
			assert.Equal(t, pipe.ActionFail, f.Action)
			assert.ErrorIs(t, last, errTorn)
			assert.LessOrEqual(t, calls.Load(), int64(49+100+workers), "no work goes on after the failure")
		})
	}
}

func TestFailCancelsWhatComesAfter(t *testing.T) {
	for _, asCompleted := range []bool{false, true} {
		bubble.Test(t, func(t *testing.T) {
			p := pipe.New(pipe.Options{OnFailure: pipe.Fail})
			flow := pipe.Map(pipe.FromSeq(p, "count", count(2)), "tear", pipe.Stage{Workers: 2, AsCompleted: asCompleted},
				func(ctx context.Context, n int) (int, error) {
					if n == 1 {
						<-ctx.Done() // forever, unless the run ends
						return 0, ctx.Err()
					}
					time.Sleep(time.Second)
					return 0, errTorn
				})
			results, err := collect(t.Context(), t, flow)
			assert.EqualError(t, err, "tear: 0: torn")
			assert.Empty(t, results)
		})
	}
}

func TestFailureOfACollectorEndsTheRunUnderFail(t *testing.T) {
	p := pipe.New(pipe.Options{OnFailure: pipe.Fail})
	flow := pipe.Collate(pipe.Map(pipe.FromSeq(p, "count", count(1_000_000)), "shift", pipe.Stage{Workers: 3},
		func(_ context.Context, n int) (int, error) { return n + 1, nil }), "parity", pipe.Stage{}, &byParity{})
	batches, err := collect(t.Context(), t, flow)
	assert.EqualError(t, err, "parity: 4: 5 is a multiple of five")
	assert.Empty(t, batches, "the collector has one, two, three and four, and no group of three")
}

func TestMaxFailures(t *testing.T) {
	for _, test := range []struct {
		name    string
		options pipe.Options
		items   int
		by      int    // each by-th item fails, the first included
		want    string // in the error; empty for none
	}{
		{"no limit", pipe.Options{OnFailure: pipe.Skip}, 1000, 1, ""},
		{"as many as allowed", pipe.Options{OnFailure: pipe.Skip, MaxFailures: 100}, 1000, 10, ""},
		{"one too many", pipe.Options{OnFailure: pipe.Skip, MaxFailures: 99}, 1000, 10,
			"too many failures: 100 failed, at most 99 may; the last: tear: 990: torn"},
		{"rate as allowed", pipe.Options{OnFailure: pipe.Skip, MaxFailureRate: 0.11}, 1000, 10, ""},
		{"rate at the end", pipe.Options{OnFailure: pipe.Skip, MaxFailureRate: 0.333}, 3, 2,
			"too many failures: 2 of 3 failed, at most 33.3 % may; the last: tear: 2: torn"},
		{"all may fail", pipe.Options{OnFailure: pipe.Skip, MaxFailureRate: 1}, 1000, 1, ""},
		{"rate without items", pipe.Options{OnFailure: pipe.Skip, MaxFailureRate: 0.1}, 0, 1, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := pipe.New(test.options)
			flow := pipe.Map(pipe.FromSeq(p, "count", count(test.items)), "tear", pipe.Stage{}, tear(test.by))
			_, err := collect(t.Context(), t, flow)
			if test.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorIs(t, err, pipe.ErrTooManyFailures)
			assert.ErrorIs(t, err, errTorn)
			assert.EqualError(t, err, test.want)
		})
	}
}

// A rate is not checked for the first items, and is checked at once later on.
func TestMaxFailureRateWaitsForItsSample(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		given, tried := 0, 0
		p := pipe.New(pipe.Options{OnFailure: pipe.Skip, MaxFailureRate: 0.5})
		src := pipe.FromSeq(p, "count", func(yield func(int) bool) {
			for given = 1; yield(given); given++ {
				time.Sleep(time.Second)
			}
		})
		_, err := collect(t.Context(), t, pipe.Map(src, "tear", pipe.Stage{}, func(context.Context, int) (int, error) {
			tried++
			return 0, errTorn
		}))
		assert.ErrorIs(t, err, pipe.ErrTooManyFailures)
		assert.Equal(t, 100, tried)
	})
}

func TestRecordedFailuresCount(t *testing.T) {
	p := pipe.New(pipe.Options{MaxFailures: 3})
	flow := pipe.Map(pipe.FromSeq(p, "count", count(1_000_000)), "mend", pipe.Stage{},
		func(_ context.Context, n int) (int, error) {
			p.Record(pipe.Failure{ID: fmt.Sprint(n), Stage: "mend", Text: "mended", Action: "placeholder"})
			return n, nil
		})
	results, err := collect(t.Context(), t, flow)
	assert.EqualError(t, err, "too many failures: 4 failed, at most 3 may; the last: mend: 3: mended")
	assert.LessOrEqual(t, len(results), 4)
}

// If several stages want to end the run, its error has one failure of each: the first in the order of the input, as
// with one stage.
func TestErrorsOfSeveralStages(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		failing := func(from int, after time.Duration) func(context.Context, int) (int, error) {
			return func(_ context.Context, n int) (int, error) {
				if n < from {
					return n, nil
				}
				time.Sleep(after)
				return 0, errTorn
			}
		}
		p := pipe.New(pipe.Options{OnFailure: pipe.Fail})
		one := pipe.Map(pipe.FromSeq(p, "count", count(100)), "one", pipe.Stage{Workers: 4}, failing(8, time.Millisecond))
		two := pipe.Map(one, "two", pipe.Stage{Workers: 4}, failing(4, time.Second))
		got, err := collect(t.Context(), t, two)
		assert.Equal(t, []int{0, 1, 2, 3}, got)
		require.ErrorIs(t, err, errTorn)
		assert.Regexp(t, "^two: 4: .*\\none: (8|9|10|11): [^\n]*$", err.Error())
		var first *pipe.Failure
		require.ErrorAs(t, err, &first)
		assert.Equal(t, "two", first.Stage)
	})
}

// With the zero Options no error is lost: the first failure ends the run, and the loop receives it.
func TestErrorsAreNotLostByDefault(t *testing.T) {
	broken := errors.New("broken")
	for name, fail := range map[string]func(int) (int, error){
		"error": func(n int) (int, error) {
			if n == 3 {
				return 0, broken
			}
			return n, nil
		},
		"panic": func(n int) (int, error) {
			if n == 3 {
				panic(broken)
			}
			return n, nil
		},
	} {
		p := pipe.New(pipe.Options{})
		numbers := pipe.Map(pipe.FromSlice(p, "numbers", []int{1, 2, 3, 4, 5}), "work", pipe.Stage{Workers: 2},
			func(_ context.Context, n int) (int, error) { return fail(n) })
		var got []int
		var failures []error
		for n, err := range numbers.All(t.Context()) {
			if err != nil {
				failures = append(failures, err)
				continue
			}
			got = append(got, n)
		}
		assert.Equal(t, []int{1, 2}, got, name)
		require.Len(t, failures, 1, name)
		assert.ErrorIs(t, failures[0], broken, name)
		var failure *pipe.Failure
		require.ErrorAs(t, failures[0], &failure, name)
		assert.Equal(t, pipe.ActionFail, failure.Action, name)
	}
}
