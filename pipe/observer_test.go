package pipe_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	inside "github.com/spoolmedia/spool/internal/parts"
	"github.com/spoolmedia/spool/pipe"
)

// spans is an observer that keeps what it gets.
type spans struct {
	mu  sync.Mutex
	got []pipe.Span
}

func (s *spans) Worked(x pipe.Span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.Stage == "work" {
		s.got = append(s.got, x)
	}
}

// detailed wants details.
type detailed struct {
	spans
	details pipe.Details
}

func (d *detailed) Details() pipe.Details { return d.details }

// worked returns the spans of items that compute, make a part, and have waited for a second and an hour.
func worked(t *testing.T, o pipe.Observer, of *spans) []pipe.Span {
	p := pipe.New(pipe.Options{Observer: o})
	sum := 0
	work := pipe.Map(pipe.FromSlice(p, "list", make([]int, 200)), "work", pipe.Stage{},
		func(ctx context.Context, n int) (int, error) {
			for i := range 10_000 {
				sum += i
			}
			if f := inside.Of(ctx); f != nil {
				f("part", time.Now(), time.Now())
			}
			inside.Waited(ctx, time.Now().Add(-time.Hour)) // the span is shorter
			return n, nil
		})
	for _, err := range work.All(t.Context()) {
		require.NoError(t, err)
	}
	require.Len(t, of.got, 200)
	return of.got
}

// An observer gets the details that it asks for, and no others. A wait is no longer than its span.
func TestDetails(t *testing.T) {
	plain := new(spans)
	for _, s := range worked(t, plain, plain) {
		assert.Empty(t, s.Parts)
		assert.Zero(t, s.CPU)
		assert.Equal(t, s.End.Sub(s.Begin), s.Waited)
	}
	for _, details := range []pipe.Details{0, pipe.WithParts, pipe.WithCPU, pipe.WithParts | pipe.WithCPU} {
		o := &detailed{details: details}
		cpu := time.Duration(0)
		for _, s := range worked(t, o, &o.spans) {
			assert.Equal(t, details&pipe.WithParts != 0, len(s.Parts) == 1)
			assert.GreaterOrEqual(t, s.CPU, time.Duration(0))
			cpu += s.CPU
		}
		assert.Equal(t, details&pipe.WithCPU != 0, cpu > 0, "most items stay on a thread")
	}
	assert.Equal(t, pipe.Details(0), pipe.DetailsOf(nil))
	assert.Equal(t, pipe.WithCPU, pipe.DetailsOf(&detailed{details: pipe.WithCPU}))
}
