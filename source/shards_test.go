package source_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// pack writes a tar file of names and contents, compressed according to its extension.
func pack(t testing.TB, file string, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: members[i], Size: int64(len(members[i+1])), Mode: 0o644}))
		_, err := io.WriteString(w, members[i+1])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	data := b.Bytes()
	switch {
	case strings.HasSuffix(file, "gz"):
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		_, err := w.Write(data)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		data = z.Bytes()
	case strings.HasSuffix(file, "zst"):
		data = remoteListing(data)
	}
	require.NoError(t, os.WriteFile(file, data, 0o644))
	return data
}

// remoteListing is a Zstandard frame of data that is not compressed (RFC 8878): the size, and blocks of up to 128 KiB.
func remoteListing(data []byte) []byte {
	frame := binary.LittleEndian.AppendUint32([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0}, uint32(len(data)))
	for last := uint32(0); last == 0; {
		n := min(len(data), 128<<10)
		if n == len(data) {
			last = 1
		}
		header := last | uint32(n)<<3
		frame = append(frame, byte(header), byte(header>>8), byte(header>>16))
		frame, data = append(frame, data[:n]...), data[n:]
	}
	return frame
}

// content reads an item.
func content(t testing.TB, s source.Source, i int) string {
	t.Helper()
	o, err := s.Open(t.Context(), i)
	if !assert.NoError(t, err) {
		return ""
	}
	defer o.Close()
	data := make([]byte, o.Info().Size)
	assert.NoError(t, spool.ReadFull(t.Context(), o, data))
	return string(data)
}

func TestShards(t *testing.T) {
	for _, ending := range []string{"tar", "tar.gz", "tgz", "tar.zst"} {
		t.Run(ending, func(t *testing.T) {
			tree(t, "z.jpg")
			pack(t, "b."+ending, "1.jpg", "first", "1.cls", "7", "1.json", "{}", "x/2.mask.png", "mask", "x/2.PNG", "second",
				"x/2.cls", "0", "3.txt", "no picture")
			pack(t, "a."+ending, "4.jpg", "third")
			s, err := source.Open(t.Context(), []string{"*." + ending, "z.jpg"}, source.Options{})
			require.NoError(t, err)
			assert.Equal(t, []string{"a." + ending + "/4.jpg", "b." + ending + "/1.jpg", "b." + ending + "/x/2.PNG", "z.jpg"},
				names(s))
			assert.Equal(t, []int64{-1, 7, 0, -1}, labels(s))
			assert.Equal(t, []string{"third", "first", "second"}, []string{content(t, s, 0), content(t, s, 1), content(t, s, 2)})
			assert.Nil(t, s.Classes())
			assert.Equal(t, []int{1, 2, 1}, s.Sizes())
			assert.Equal(t, "1 .txt", s.Skipped().String())
			again, err := source.Shards(t.Context(), []string{"b." + ending}, source.Options{Extensions: []string{".txt"}})
			require.NoError(t, err)
			assert.Equal(t, []string{"b." + ending + "/3.txt"}, names(again))
		})
	}
}

// TestShardsBesideFolders: labels of shards are kept, and those of class folders are numbered independently.
func TestShardsBesideFolders(t *testing.T) {
	tree(t, "photos/dog/a.jpg", "photos/cat/b.jpg")
	pack(t, "s.tar", "1.jpg", "", "1.cls", "9")
	write(t, "m.csv", "path,label\nphotos/dog/a.jpg,bird\n")
	s, err := source.Open(t.Context(), []string{"s.tar", "photos", "m.csv"}, source.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"bird", "cat", "dog"}, s.Classes())
	assert.Equal(t, []int{1, 2, 1}, s.Counts())
	assert.Equal(t, []int{1, 3}, s.Sizes())
	assert.Equal(t, []int64{9, 1, 2, 0}, labels(s))
	assert.Equal(t, []string{"s.tar/1.jpg", "photos/cat/b.jpg", "photos/dog/a.jpg", "photos/dog/a.jpg"}, names(s))
}

// TestShardsThatAreDamaged: intact samples can be read, and each damage is an item that cannot.
func TestShardsThatAreDamaged(t *testing.T) {
	tree(t)
	whole := pack(t, "good.tar", "1.jpg", "first", "2.jpg", strings.Repeat("second", 1000))
	write(t, "cut.tar", string(whole[:3000]))
	flipped := bytes.Clone(whole)
	flipped[1024] ^= 1
	write(t, "flipped.tar", string(flipped))
	write(t, "text.tar", strings.Repeat("no tar file", 100))
	zipped := pack(t, "z.tar.gz", "1.jpg", "first")
	write(t, "z.tar.gz", string(zipped[:len(zipped)-5]))
	pack(t, "bad.tar", "1.jpg", "x", "1.jpg", "y", "2.jpg", "z", "2.cls", "dog")

	s, err := source.Open(t.Context(), []string{"bad.tar", "cut.tar", "flipped.tar", "good.tar", "text.tar", "z.tar.gz"},
		source.Options{})
	require.NoError(t, err)
	want := []struct {
		name  string
		class error
	}{
		{"bad.tar/1.jpg", spool.ErrCorrupt}, {"bad.tar/2.jpg", spool.ErrCorrupt},
		{"cut.tar/1.jpg", nil}, {"cut.tar/2.jpg", spool.ErrTruncated}, {"cut.tar", spool.ErrTruncated},
		{"flipped.tar/1.jpg", nil}, {"flipped.tar", spool.ErrCorrupt}, {"good.tar/1.jpg", nil}, {"good.tar/2.jpg", nil},
		{"text.tar", spool.ErrCorrupt}, {"z.tar.gz", spool.ErrTruncated},
	}
	require.Equal(t, len(want), s.Len())
	for i, w := range want {
		assert.Equal(t, w.name, s.Item(i).Name)
		o, err := s.Open(t.Context(), i)
		if err == nil {
			err = spool.ReadFull(t.Context(), o, make([]byte, o.Info().Size))
			require.NoError(t, o.Close())
		}
		if w.class == nil {
			assert.NoError(t, err, w.name)
			continue
		}
		assert.ErrorIs(t, err, w.class, w.name)
		assert.ErrorContains(t, err, " "+w.name+": ", "the error names the item")
	}
}

func TestShardErrors(t *testing.T) {
	tree(t, "folder.tar/", "none.tar")
	pack(t, "texts.tar", "1.txt", "", "2.json", "")
	pack(t, "large.tar.gz", "1.jpg", strings.Repeat("x", 100_000))
	pack(t, "empty.tar")
	_, err := source.Shards(t.Context(), []string{"missing.tar", "folder.tar", "texts.tar", "empty.tar"}, source.Options{})
	all := openPart(err)
	require.Len(t, all, 4)
	for i, want := range []string{"open missing.tar: not-found: no such file or directory",
		"open folder.tar: not-a-file: a folder, where a regular file is needed",
		"list texts.tar: empty: no images in this shard (seen: 1 .json, 1 .txt)",
		"list empty.tar: empty: no images in this shard"} {
		assert.EqualError(t, all[i], want)
	}
	s, err := source.Shards(t.Context(), []string{"large.tar.gz"}, source.Options{Unpacked: 1000})
	require.NoError(t, err)
	require.Equal(t, 1, s.Len())
	_, err = s.Open(t.Context(), 0)
	assert.ErrorIs(t, err, spool.ErrTooLarge)
	assert.Equal(t, err, s.Damage())
	_, err = source.Shards(t.Context(), nil, source.Options{Unpacked: -1})
	assert.ErrorIs(t, err, spool.ErrOptions)

	ctx, cancel := context.WithCancel(t.Context())
	s, err = source.Shards(ctx, []string{"large.tar.gz"}, source.Options{})
	require.NoError(t, err)
	cancel()
	_, err = s.Open(ctx, 0)
	assert.ErrorIs(t, err, spool.ErrCanceled)
	_, err = source.Shards(ctx, []string{"texts.tar"}, source.Options{})
	assert.ErrorIs(t, err, spool.ErrCanceled)
}

// TestUnpackedShards: concurrent readers of more shards than fit into memory each read the right bytes.
func TestUnpackedShards(t *testing.T) {
	tree(t)
	const shards, samples = 6, 5
	var files []string
	for i := range shards {
		var members []string
		for k := range samples {
			members = append(members, fmt.Sprintf("%d.jpg", k), strings.Repeat(fmt.Sprintf("%d.%d ", i, k), 100))
		}
		files = append(files, fmt.Sprintf("%d.tar.gz", i))
		pack(t, files[i], members...)
	}
	for _, room := range []int64{0, 3 * 10_240} { // a tar file of five small members has 7680 bytes, or more
		s, err := source.Shards(t.Context(), files, source.Options{Unpacked: room})
		require.NoError(t, err)
		require.Equal(t, shards*samples, s.Len())
		var all sync.WaitGroup
		for worker := range 8 {
			all.Go(func() {
				for i := range s.Len() {
					i = (i*7 + worker*11) % s.Len()
					assert.Equal(t, strings.Repeat(fmt.Sprintf("%d.%d ", i/samples, i%samples), 100), content(t, s, i))
				}
			})
		}
		all.Wait()
	}
}

// Members that are not loaded are reported by their extensions, once for all shards. Labels are loaded.
func TestNoticesOfShards(t *testing.T) {
	tree(t)
	pack(t, "1.tar", "a.jpg", "", "a.cls", "1", "a.json", "", "a.seg.png", "", "b.jpg", "", "b.txt", "")
	pack(t, "2.tar", "c.jpg", "", "c.cls", "1", "c.json", "", "c.seg.png", "", "c.txt", "")
	pack(t, "3.tar", "d.jpg", "", "d.cls", "1")
	names := []string{"1.tar", "2.tar", "3.tar"}
	for _, c := range []struct {
		ignore  []string
		notices []string
	}{
		{nil, []string{"1.tar and 1 more: members that are not used: json, seg.png, txt"}},
		{[]string{"json", "txt"}, []string{"1.tar and 1 more: members that are not used: seg.png"}},
		{[]string{"*"}, nil},
	} {
		s, err := source.Shards(t.Context(), names, source.Options{Ignore: c.ignore})
		require.NoError(t, err)
		require.Equal(t, c.notices, s.Notices())
	}
}
