package bench

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/source"
)

// A benchmark loads its files in the order of their names, from any source.
func TestRepeated(t *testing.T) {
	shard := filepath.Join(t.TempDir(), "a.tar")
	clitest.Pack(t, shard, map[string][]byte{"0.jpg": []byte("shard")})
	sums := clitest.Media + "/SHA256SUMS"
	src, err := source.Open(t.Context(), []string{sums, shard, clitest.Text}, source.Options{})
	require.NoError(t, err)
	want := map[string]int64{clitest.Text: int64(len(clitest.Content(t, "hard/bad/text.jpg"))),
		sums: int64(len(clitest.Content(t, "SHA256SUMS"))), shard + "/0.jpg": 5}
	names := slices.Sorted(maps.Keys(want))
	r := newRepeated(src, 3)
	require.Equal(t, 9, r.Len())
	for i := range r.Len() {
		item := r.Item(i)
		assert.Equal(t, int64(i), item.ID)
		assert.Equal(t, names[i%3], item.Name)
		object, err := r.Open(t.Context(), i)
		require.NoError(t, err)
		assert.Equal(t, want[item.Name], object.Info().Size)
		require.NoError(t, object.Close())
	}
}
