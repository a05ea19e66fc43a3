package main

import (
	"context"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
)

// While a run decodes, Go has a processor more for each worker.
func TestRunHasSpareProcessors(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	src, err := source.Open(t.Context(), photos(t, 4), source.Options{})
	require.NoError(t, err)
	o := loader.ImageOptions{Options: loader.Options{Batch: 1, Workers: 3}}
	o.Spec.Resize.Width, o.Spec.Resize.Height = 8, 8
	ld, err := loader.Images(src, o)
	require.NoError(t, err)
	before := runtime.GOMAXPROCS(0)
	run := newLoaderRun(ld, new(device), false, func(d delivery) (batchForC, error) {
		d.release()
		return batchForC{}, nil
	}, nil)
	run.workers = 3
	_, more, err := run.next(context.Background(), math.MaxInt64)
	require.NoError(t, err)
	require.True(t, more)
	assert.Equal(t, before+3, runtime.GOMAXPROCS(0))
	assert.Equal(t, before, cores.Count())
	require.NoError(t, run.Close())
	assert.Equal(t, before, runtime.GOMAXPROCS(0))
}
