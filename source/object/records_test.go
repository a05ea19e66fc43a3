package object_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/s3test"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

var imageAndClass = []source.Input{{Name: "png;jpg"}, {Name: "cls"}, {Name: "txt", Optional: true}}

// readInput returns an input's bytes, or nil if the sample lacks it.
func readInput(t *testing.T, r *source.Records, i, k int) []byte {
	t.Helper()
	o, err := r.OpenInput(t.Context(), i, k)
	require.NoError(t, err)
	if o == nil {
		return nil
	}
	defer o.Close()
	data, err := spool.ReadAll(t.Context(), o, nil, 0)
	require.NoError(t, err)
	return data
}

// TestRecordsOfShards: records of a shard at a URL are read by a request for each input, with or without an index.
func TestRecordsOfShards(t *testing.T) {
	const each = 20_000
	eachShard(t, shardOf(t, 20, each, 1), func(t *testing.T, x shardAt) {
		r, err := source.OpenRecords(t.Context(), []string{x.url}, imageAndClass, x.options)
		require.NoError(t, err)
		require.Equal(t, 20, r.Len())
		require.True(t, r.Remote())
		opening := x.store.requests.Load()
		for i := range r.Len() {
			require.Equal(t, bytes.Repeat([]byte{1 + byte(i)}, each), readInput(t, r, i, 0))
			require.Equal(t, []byte{'0' + byte(i%10)}, readInput(t, r, i, 1))
			require.Nil(t, readInput(t, r, i, 2))
			require.Equal(t, int64(i%10), r.Item(i).Label)
		}
		if !x.packed {
			assert.Equal(t, int64(40), x.store.requests.Load()-opening, "one for each input")
		}
		if x.indexed {
			assert.Equal(t, int64(1), opening, "the shard is asked for its state")
		}
	})
}

// TestRecordsOfTables: paths in a table at a URL begin there, and name members of shards, too.
func TestRecordsOfTables(t *testing.T) {
	s := newStore(t)
	s.put("/d/1.jpg", []byte("an image"))
	s.put("/d/a.tar", shardOf(t, 2, 100, 7))
	s.put("/d/t.csv", []byte("image,text\n1.jpg,hello\na.tar/000001.jpg,\nnone.jpg,x\n"))
	c := newClient(t, object.Options{})
	r, err := source.OpenRecords(t.Context(), []string{s.URL + "/d/t.csv"},
		[]source.Input{{Name: "image"}, {Name: "text", Value: true, Optional: true}}, source.Options{Remote: c})
	require.NoError(t, err)
	assert.Equal(t, "an image", string(readInput(t, r, 0, 0)))
	assert.Equal(t, "hello", string(readInput(t, r, 0, 1)))
	assert.Equal(t, bytes.Repeat([]byte{8}, 100), readInput(t, r, 1, 0))
	assert.Nil(t, readInput(t, r, 1, 1))
	_, err = r.OpenInput(t.Context(), 2, 0)
	assert.ErrorIs(t, err, spool.ErrNotFound)
	assert.Equal(t, s.URL+"/d/1.jpg", r.Item(0).Name)
}

// TestRecordsOfPrefixes: a prefix is read as a folder with a subfolder for each input.
func TestRecordsOfPrefixes(t *testing.T) {
	s3test.Each(t, func(t *testing.T, server *s3test.Server) {
		server.Login(t)
		server.Bucket("records")
		for _, key := range []string{"d/images/cat/1.jpg", "d/images/dog/1.jpg", "d/masks/cat/1.png", "d/masks/dog/1.png",
			"d/texts/dog/1.txt"} {
			server.Put("records", key, []byte(key))
		}
		c := newClient(t, object.Options{})
		r, err := source.OpenRecords(t.Context(), []string{"s3://records/d"},
			[]source.Input{{Name: "images"}, {Name: "masks"}, {Name: "texts", Optional: true}}, source.Options{Remote: c})
		require.NoError(t, err)
		require.Equal(t, 2, r.Len())
		assert.Equal(t, []string{"cat", "dog"}, r.Classes())
		assert.Equal(t, "d/masks/cat/1.png", string(readInput(t, r, 0, 1)))
		assert.Nil(t, readInput(t, r, 0, 2))
		assert.Equal(t, "d/texts/dog/1.txt", string(readInput(t, r, 1, 2)))
		assert.Equal(t, "dog/1", r.Item(1).Key)
	})
}
