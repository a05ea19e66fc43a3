package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/parts"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/trace"
)

// counter counts the work that it observes.
type counter int

func (c *counter) Worked(pipe.Span) { *c++ }

// A trace has the work of its time alone, and one is written at a time. The next observer gets all.
func TestTap(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		var all counter
		tap := trace.Tap{Next: &all}
		span := pipe.Span{Stage: "decode", ID: "x"}
		tap.Worked(span)
		var file bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		done := make(chan error, 1)
		go func() { done <- tap.Record(ctx, &file) }()
		synctest.Wait()
		tap.Worked(span)
		tap.Worked(span)
		var other bytes.Buffer
		require.ErrorIs(t, tap.Record(ctx, &other), trace.ErrRecording)
		assert.Empty(t, other.Bytes())
		require.NoError(t, <-done)
		tap.Worked(span)
		var events struct{ TraceEvents []event }
		require.NoError(t, json.Unmarshal(file.Bytes(), &events))
		slices := 0
		for _, e := range events.TraceEvents {
			if e.Name == "decode" {
				slices++
			}
		}
		assert.Equal(t, 2, slices)
		assert.Equal(t, counter(4), all)
		ctx, cancel = context.WithCancel(t.Context())
		cancel()
		require.NoError(t, tap.Record(ctx, &other), "the next one")
		assert.True(t, json.Valid(other.Bytes()))
		assert.EqualError(t, tap.Record(ctx, full{}), "disk full")
	})
}

// While no trace is written, the pipeline has no observer.
func TestTapAtRest(t *testing.T) {
	var tap trace.Tap
	p := pipe.New(pipe.Options{Observer: &tap})
	seen := pipe.Map(pipe.FromSlice(p, "list", []int{1}), "look", pipe.Stage{},
		func(ctx context.Context, _ int) (bool, error) { return parts.Of(ctx) != nil, nil })
	for observed, err := range seen.All(t.Context()) {
		require.NoError(t, err)
		assert.False(t, observed)
	}
	tap.Next = new(counter)
	assert.True(t, tap.Active())
}
