package batch

import (
	"context"

	"github.com/spoolmedia/spool"
)

// Single is a sample in a buffer of its own, until a Collator copies it to a batch. It is owned until Collator.Add or
// Release.
type Single struct {
	buffer *spool.Buffer
	layout layout
}

// NewSingle returns memory for a sample with the given arrays. It waits for the pool, and returns its errors.
func NewSingle(ctx context.Context, pool *spool.Pool, fields []Field) (*Single, error) {
	s := &Single{layout: newLayout(fields, 1)}
	var err error
	s.buffer, err = pool.GetFor(ctx, s.layout.total, spool.Pixels)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Field returns the memory of a field, whose contents are unspecified at first.
func (s *Single) Field(f int) []byte { return s.layout.at(s.buffer, f, 0, 1) }

// Release returns the memory to the pool.
func (s *Single) Release() { s.buffer.Release() }

// shape returns the shape of a field.
func (s *Single) shape(f int) spool.Shape { return s.layout.fields[f].Sample.Shape }
