package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/settings"
)

// A C program gets the same batches as Go, whatever calls it makes between them.
func TestLoaders(t *testing.T) {
	const options = `{"batch": 8, "size": "24x16", "shuffle": true, "seed": 5, "epochs": 2}`
	folder := filepath.Join(testdata, "photos")
	program := compile(t, "testdata/loader.c", append([]string{"-pthread"}, sanitized...)...)
	got := strings.Split(strings.TrimSuffix(start(t, "", program, folder, options), "\n"), "\n")
	want := batchesInGo(t, folder, options)
	require.Len(t, want, 12)
	require.Len(t, got, 12+2+4+1+1)
	assert.Equal(t, want, got[:12], "both epochs")
	assert.Equal(t, want[:6], got[12:18], "two, and the rest from their state")
	assert.Equal(t, want[6], got[18], "from an epoch on")
	assert.Contains(t, got[19], " 5:0 3:0 5:0 ", "samples of its own")
}

// batchesInGo returns what testdata/loader.c prints for batches, from package loader.
func batchesInGo(t *testing.T, folder, options string) (lines []string) {
	t.Helper()
	var s settings.Set
	l := s.LoadImages()
	s.JSON([]byte(options))
	l.Judge(&s, []string{folder})
	require.NoError(t, s.Err())
	src, err := l.List(context.Background(), []string{folder}, nil)
	require.NoError(t, err)
	ld, err := l.Open(src, l.Options())
	require.NoError(t, err)
	for b, err := range ld.Batches(t.Context()) {
		require.NoError(t, err)
		h := fnv.New64a()
		h.Write(b.Bytes())
		line := fmt.Sprintf("%d %d %x", b.Epoch, b.Index, h.Sum64())
		for _, sample := range b.Samples {
			line += fmt.Sprintf(" %d:%d", sample.ID, sample.Label)
		}
		lines = append(lines, line+" "+b.Samples[0].Name)
		b.Release()
	}
	require.NoError(t, ld.Close())
	return lines
}
