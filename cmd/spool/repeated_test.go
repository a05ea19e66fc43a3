package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/source"
)

func TestRepeated(t *testing.T) {
	files := source.Files("../../testdata/hard/bad/text.jpg", "../../testdata/SHA256SUMS")
	r := repeated{files, 3}
	require.Equal(t, 6, r.Len())
	for i := range r.Len() {
		item := r.Item(i)
		assert.Equal(t, int64(i), item.ID)
		assert.Equal(t, files.Item(i%2).Name, item.Name)
		object, err := r.Open(t.Context(), i)
		require.NoError(t, err)
		want, err := files.Open(t.Context(), i%2)
		require.NoError(t, err)
		assert.Equal(t, want.Size(), object.Size())
		require.NoError(t, object.Close())
		require.NoError(t, want.Close())
	}
}
