package parquet_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/parquet"
	"github.com/spoolmedia/spool/source/shard"
	"github.com/spoolmedia/spool/source/table"
)

// counted is a file in memory that counts the bytes read and the open objects. With a path it is like a local file.
type counted struct {
	shard.Memory
	path       string
	read, open atomic.Int64
}

func (c *counted) Info() spool.ObjectInfo {
	info := c.Memory.Info()
	info.Path = c.path
	return info
}

func (c *counted) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	n, err := c.Memory.ReadAt(ctx, p, off)
	c.read.Add(int64(n))
	return n, err
}

func (c *counted) Close() error {
	c.open.Add(-1)
	return nil
}

func (c *counted) opener(ctx context.Context) (spool.Object, error) {
	c.open.Add(1)
	return c, ctx.Err()
}

// usual are the columns that source.Manifest looks for.
var usual = table.Columns{Path: []string{"file", "path", "filename", "image", "video", "audio"},
	Label: []string{"label", "target"}, Key: []string{"key"}}

func open(t testing.TB, file string, c table.Columns, limit int64) (table.Rows, *counted, error) {
	t.Helper()
	return openAt(t, "", file, c, limit)
}

// openAt opens a file as if it had a path.
func openAt(t testing.TB, path, file string, c table.Columns, limit int64) (table.Rows, *counted, error) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	f := &counted{Memory: data, path: path}
	rows, err := parquet.Open(t.Context(), f.opener, c, table.NewCache(limit))
	assert.Zero(t, f.open.Load(), "a listing holds no file open")
	return rows, f, err
}

func sha(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// TestOpen compares all rows of all files with what pyarrow reads. Columns are held in memory, or read from a local
// file.
func TestOpen(t *testing.T) {
	for _, path := range []string{"", "/data/table.parquet"} {
		compareAll(t, path)
	}
}

func compareAll(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile("testdata/expected.json")
	require.NoError(t, err)
	var expected map[string]struct {
		Sizes  []int
		Rows   []string
		Digest string
	}
	require.NoError(t, json.Unmarshal(text, &expected))
	require.Greater(t, len(expected), 20)
	for file, want := range expected {
		t.Run(path+file, func(t *testing.T) {
			rows, f, err := openAt(t, path, file, usual, 1<<20)
			require.NoError(t, err)
			media, holds := rows.(table.Media)
			assert.Equal(t, strings.HasPrefix(file, "media_") && file != "media_elsewhere.parquet", holds)
			if holds {
				assert.Equal(t, want.Sizes, media.Sizes())
			}
			var lines, labels, wanted []string
			for k := range rows.Len() {
				row, err := rows.Row(k)
				require.NoError(t, err)
				assert.Equal(t, holds, row.Held)
				digest := ""
				if holds {
					o, err := media.Open(t.Context(), k)
					require.NoError(t, err)
					if o != nil {
						data, err := spool.ReadAll(t.Context(), o, nil, 0)
						require.NoError(t, err)
						digest = sha(data)
					}
					if row.Key == row.Path {
						row.Key = "" // if there is no column of keys
					}
				}
				lines = append(lines, strings.Join([]string{row.Path, row.Label, row.Key, digest}, "|"))
				wanted = append(wanted, row.Label)
			}
			for label := range rows.Labels() {
				labels = append(labels, label)
			}
			assert.Equal(t, wanted, labels)
			compareNumbers(t, rows, wanted)
			assert.Equal(t, want.Rows, append([]string{}, lines[:min(3, len(lines))]...))
			assert.Equal(t, want.Digest, sha([]byte(strings.Join(lines, "\n"))))
			assert.Zero(t, f.open.Load())
		})
	}
}

// compareNumbers compares labels that are read together with those of rows.
func compareNumbers(t *testing.T, rows table.Rows, labels []string) {
	t.Helper()
	number := func(name []byte) int64 { return int64(len(name)) + 1000 }
	for _, from := range []int{0, len(labels) / 3} {
		got := make([]int64, len(labels)-from)
		require.True(t, rows.(table.Labeled).ReadLabels(from, got, number))
		for i, label := range got {
			want, err := strconv.ParseInt(labels[from+i], 10, 64)
			if row, _ := rows.Row(from + i); labels[from+i] == "" || row.Path == "" && !row.Held {
				want, err = -1, nil
			}
			if err != nil || label >= 1000 {
				want = number([]byte(labels[from+i]))
			}
			require.Equal(t, max(want, -1), label, from+i)
		}
	}
}

func TestColumns(t *testing.T) {
	columns := func(path, label, key string) table.Columns {
		return table.Columns{Path: []string{path}, Label: []string{label}, Key: []string{key}}
	}
	rows, _, err := open(t, "media_mixed.parquet", columns("Image.Path", "none", "none"), 1<<20)
	require.NoError(t, err)
	row, err := rows.Row(1)
	require.NoError(t, err)
	assert.Equal(t, table.Row{Path: "1.jpg"}, row, "a column within a structure; others that are not there are left out")
	assert.Equal(t, []string{"image", "key"}, rows.(table.Named).Names(), "a structure is one column")
	rows, _, err = open(t, "media_mixed.parquet", columns("image.bytes", "key", "image.path"), 1<<20)
	require.NoError(t, err)
	row, err = rows.Row(7)
	require.NoError(t, err)
	assert.Equal(t, table.Row{Label: "7", Key: "7.jpg", Held: true}, row)
}

// TestMediaAreReadLate: opening a file reads none of its media, and a sample reads only its page.
func TestMediaAreReadLate(t *testing.T) {
	rows, f, err := open(t, "media_large.parquet", usual, 1<<20)
	require.NoError(t, err)
	media := rows.(table.Media)
	opened := f.read.Load()
	assert.LessOrEqual(t, opened, int64(64<<10), "the end of the file")
	o, err := media.Open(t.Context(), 7)
	require.NoError(t, err)
	assert.Equal(t, int64(8007), o.Info().Size)
	first := f.read.Load() - opened
	assert.Less(t, first, int64(4*8100), "the headers of a row group, and a page of two samples")
	_, err = media.Open(t.Context(), 6)
	require.NoError(t, err)
	assert.Equal(t, first, f.read.Load()-opened, "the page was kept")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = media.Open(ctx, 0)
	assert.ErrorIs(t, err, context.Canceled)
	f.Memory = append(f.Memory, 0)
	_, err = media.Open(t.Context(), 0)
	assert.ErrorIs(t, err, spool.ErrIO, "changed meanwhile")
}

func TestRefused(t *testing.T) {
	for file, want := range map[string]struct {
		class error
		says  string
	}{
		"refused_list.parquet":   {spool.ErrCorrupt, ""},
		"refused_float.parquet":  {spool.ErrUnsupported, "column label is a list, or neither text nor integers"},
		"refused_lz4.parquet":    {spool.ErrUnsupported, "compressed by LZ4"},
		"refused_brotli.parquet": {spool.ErrUnsupported, "compressed by BROTLI"},
		"refused_columns.parquet": {spool.ErrCorrupt,
			"no column of the manifest is called file, path, filename, image, video, audio; there are x, y"},
	} {
		_, _, err := open(t, file, usual, 1<<20)
		if file == "refused_list.parquet" { // the list is a structure with another name, so there is no column label
			assert.NoError(t, err)
			_, _, err = open(t, file, table.Columns{Path: []string{"label.list.element"}}, 1<<20)
			want.class = spool.ErrUnsupported
		}
		assert.ErrorIs(t, err, want.class, file)
		assert.ErrorContains(t, err, want.says, file)
	}
	_, _, err := open(t, "paths_zstd_v1_plain.parquet", usual, 3000)
	assert.ErrorIs(t, err, spool.ErrTooLarge, "columns of more than is kept")
}

// contents reads all media by several goroutines, with a cache of few pages.
func contents(t *testing.T, media table.Media) (data []string, errs []error) {
	t.Helper()
	n := media.Len()
	data, errs = make([]string, n), make([]error, n)
	var all sync.WaitGroup
	const workers = 4
	for first := range workers {
		all.Go(func() {
			for i := range n / workers {
				k := (i*7%(n/workers))*workers + first
				o, err := media.Open(t.Context(), k)
				if errs[k] = err; err == nil {
					p := make([]byte, o.Info().Size)
					errs[k] = spool.ReadFull(t.Context(), o, p)
					data[k] = string(p)
				}
			}
		})
	}
	all.Wait()
	return data, errs
}

func TestMediaByMany(t *testing.T) {
	for _, limit := range []int64{4 << 10, 1 << 20} {
		rows, f, err := open(t, "media_snappy.parquet", table.Columns{Path: []string{"image.bytes"}}, limit)
		require.NoError(t, err)
		data, errs := contents(t, rows.(table.Media))
		for k, err := range errs {
			require.NoError(t, err)
			assert.True(t, strings.HasSuffix(data[k], "\xff\xd8"), k)
			assert.Len(t, data[k], k*37%150+2)
		}
		assert.Zero(t, f.open.Load())
	}
}

// TestDamagedPage: damage of a page is the error of its samples.
func TestDamagedPage(t *testing.T) {
	rows, f, err := open(t, "media_zstd.parquet", usual, 1<<20)
	require.NoError(t, err)
	media := rows.(table.Media)
	good, _ := contents(t, media)
	at := bytes.Index(f.Memory, []byte(good[50][:30])) // random bytes, which are stored uncompressed
	require.Positive(t, at)
	clear(f.Memory[at-20 : at+20])
	rows, err = parquet.Open(t.Context(), f.opener, usual, table.NewCache(1<<20))
	require.NoError(t, err)
	data, errs := contents(t, rows.(table.Media))
	bad := 0
	for k := range data {
		if errs[k] != nil {
			assert.ErrorIs(t, errs[k], spool.ErrCorrupt)
			bad++
		} else if k/8 != 50/8 {
			assert.Equal(t, good[k], data[k])
		}
	}
	t.Logf("%d samples are lost", bad)
	assert.Positive(t, bad)
	assert.LessOrEqual(t, bad, 8, "those of a page")
}
