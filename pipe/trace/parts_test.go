package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/parts"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/trace"
)

// work is a part of a function: it takes some milliseconds.
func work(ctx context.Context, name string, milliseconds int, inner ...func()) {
	begin := time.Now()
	for _, f := range inner {
		f()
	}
	time.Sleep(time.Duration(milliseconds) * time.Millisecond)
	parts.Of(ctx)(name, begin, time.Now())
}

// traced returns the slices of a run of a stage's function for one item, by track, and the track of each name.
func traced(t *testing.T, f func(context.Context)) (slices map[string][]event, left int) {
	var file bytes.Buffer
	w := trace.NewWriter(&file)
	p := pipe.New(pipe.Options{Observer: w})
	stage := pipe.Map(pipe.FromSlice(p, "list", []int{1}), "decode", pipe.Stage{},
		func(ctx context.Context, n int) (int, error) { f(ctx); return n, nil })
	for _, err := range stage.All(t.Context()) {
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	var all struct {
		TraceEvents []struct {
			event
			Args struct {
				Name    string
				LeftOut int `json:"left_out"`
			}
		}
	}
	require.NoError(t, json.Unmarshal(file.Bytes(), &all))
	tracks := map[int]string{}
	slices = map[string][]event{}
	for _, e := range all.TraceEvents {
		if e.Name == "thread_name" {
			tracks[e.Tid] = e.Args.Name
		}
		if e.Ph == "X" && e.Name != "list" {
			slices[tracks[e.Tid]] = append(slices[tracks[e.Tid]], e.event)
			left += e.Args.LeftOut
		}
	}
	return slices, left
}

// Parts are in the slice of their item, the outer ones first.
func TestParts(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		slices, left := traced(t, func(ctx context.Context) {
			work(ctx, "header", 1)
			work(ctx, "codec", 2, func() { work(ctx, "entropy", 3) })
		})
		require.Len(t, slices, 1)
		type slice struct {
			name    string
			ts, dur float64
		}
		var got []slice
		begun := slices["decode 0"][0].TS
		for _, e := range slices["decode 0"] {
			got = append(got, slice{e.Name, e.TS - begun, e.Dur})
		}
		assert.Equal(t, []slice{{"decode", 0, 6000}, {"header", 0, 1000}, {"codec", 1000, 5000},
			{"entropy", 1000, 3000}}, got)
		assert.Zero(t, left)
	})
}

// Parts of several goroutines that overlap have a track each. Parts after the item's end are left out.
func TestPartsAtTheSameTime(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		var late sync.WaitGroup
		slices, _ := traced(t, func(ctx context.Context) {
			var group sync.WaitGroup
			group.Go(func() { work(ctx, "a", 3) })
			group.Go(func() { time.Sleep(time.Millisecond); work(ctx, "b", 4) })
			group.Wait()
			late.Go(func() { work(ctx, "late", 10) })
		})
		late.Wait()
		require.Len(t, slices, 2)
		assert.Equal(t, []string{"decode", "a"}, []string{slices["decode 0"][0].Name, slices["decode 0"][1].Name})
		require.Len(t, slices["decode 0, at the same time 1"], 1)
		assert.Equal(t, "b", slices["decode 0, at the same time 1"][0].Name)
	})
}

// A slice has a bounded number of parts, and says how many more there were.
func TestManyParts(t *testing.T) {
	slices, left := traced(t, func(ctx context.Context) {
		for range pipe.MaxParts + 7 {
			now := time.Now()
			parts.Of(ctx)("frame", now, now)
		}
	})
	assert.Len(t, slices["decode 0"], 1+pipe.MaxParts)
	assert.Equal(t, 7, left)
}
