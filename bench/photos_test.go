package bench_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/bench"
)

// Generated photos come first, then those of testdata. Photos outside of the repository are not used.
func TestPhotos(t *testing.T) {
	parent := t.TempDir()
	root := filepath.Join(parent, "spool")
	write := func(path string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	write(filepath.Join(parent, "shared/media/photos/000.jpg"))
	_, err := bench.Photos(root)
	require.ErrorContains(t, err, "no photos")

	write(filepath.Join(root, "testdata/photos/plant/00.jpg"))
	found, err := bench.Photos(root)
	require.NoError(t, err)
	require.Len(t, found, 1)
	assert.Equal(t, "testdata/photos", found[0].Name)

	write(filepath.Join(root, bench.Media, "photos/001.jpg"))
	write(filepath.Join(root, bench.Media, "photos/000.jpg"))
	found, err = bench.Photos(root)
	require.NoError(t, err)
	require.Len(t, found, 2)
	assert.Equal(t, "generated photos/*.jpg", found[0].Name)
	assert.Equal(t, []string{filepath.Join(root, "bin/bench-media/photos/000.jpg"),
		filepath.Join(root, "bin/bench-media/photos/001.jpg")}, found[0].Files)
}
