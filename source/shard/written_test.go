package shard_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/shard"
)

// written returns a file that testdata/gen.py made, decompressed.
func written(t *testing.T, name string) shard.Memory {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	c, err := shard.Compressed(t.Context(), shard.Memory(data))
	require.NoError(t, err)
	whole, err := shard.Decompress(t.Context(), shard.Memory(data), c, 1<<20)
	require.NoError(t, err)
	return whole
}

// TestWritten reads what tarfile, GNU tar and webdataset wrote, and compares it with what tarfile and webdataset read.
func TestWritten(t *testing.T) {
	text, err := os.ReadFile("testdata/expected.json")
	require.NoError(t, err)
	var expected map[string]struct {
		Members [][3]any // name, offset, size
		Samples [][2]any // key, digests by extension
	}
	require.NoError(t, json.Unmarshal(text, &expected))
	require.Len(t, expected, 8)
	for name, want := range expected {
		t.Run(name, func(t *testing.T) {
			archive := written(t, name)
			x := scan(t, archive)
			require.NoError(t, x.Damage())
			var members [][3]any
			var samples [][2]any
			for i := range x.Len() {
				s := x.Sample(i)
				require.NoError(t, s.Err)
				digests := map[string]any{}
				for _, m := range s.Members {
					members = append(members, [3]any{m.Name, float64(m.Offset), float64(m.Size)})
					sum := sha256.Sum256([]byte(content(t, archive, m)))
					digests[m.Ext()] = hex.EncodeToString(sum[:8])
				}
				samples = append(samples, [2]any{s.Key, digests})
				if strings.HasSuffix(s.Key, "0001") && name != "webdataset.tar" {
					assert.Equal(t, int64(7), s.Label)
				}
			}
			assert.Equal(t, want.Members, members)
			if want.Samples != nil {
				assert.Equal(t, want.Samples, samples)
			}
		})
	}
}

// TestWrittenLarge: a size of 9 GiB is a number in base 256, or in an extended record.
func TestWrittenLarge(t *testing.T) {
	for _, name := range []string{"large_gnu.tar", "large_pax.tar"} {
		x := scan(t, written(t, name))
		assert.ErrorIs(t, x.Damage(), spool.ErrTruncated)
		require.Equal(t, 1, x.Len())
		m := x.Sample(0).Members[0]
		assert.Equal(t, []any{"large.jpg", int64(9 << 30)}, []any{m.Name, m.Size}, name)
		assert.Equal(t, "the beginning", strings.TrimRight(string(written(t, name)[m.Offset:]), "\x00"))
	}
}

func TestWrittenLinks(t *testing.T) {
	archive := written(t, "tar_link.tar")
	x := scan(t, archive)
	require.Equal(t, 2, x.Len())
	assert.Equal(t, strings.Repeat("x", 700), content(t, archive, x.Sample(1).Members[0]))
	for _, name := range []string{"sparse_gnu.tar", "sparse_posix.tar"} {
		archive := written(t, name)
		x := scan(t, archive)
		require.NoError(t, x.Damage())
		require.Equal(t, 2, x.Len(), name)
		assert.ErrorIs(t, x.Sample(0).Err, spool.ErrUnsupported, name)
		assert.Equal(t, "7", content(t, archive, x.Sample(1).Members[0]), name)
	}
}
