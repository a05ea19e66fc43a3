package loader_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/cache"
)

// Records with all of their arrays and values come from a cache as they were decoded, in memory and from the disk.
func TestCachesOfRecords(t *testing.T) {
	dir, err := filepath.Abs(filepath.Join(media, "video"))
	require.NoError(t, err)
	text := "file,start,end,title,n\n"
	for i := range 8 {
		title := ""
		if i%3 > 0 {
			title = fmt.Sprintf("segment %d", i)
		}
		text += fmt.Sprintf("%s/languages.mkv,%v,%v,%s,%d\n", dir, float64(i%4)/10, float64(i%4+3)/10, title, i)
	}
	table := filepath.Join(t.TempDir(), "t.csv")
	require.NoError(t, os.WriteFile(table, []byte(text), 0o600))
	schema := record.Schema{
		{Name: "clip", Input: "file", Kind: record.Video{Spec: frameSpec(8), Frames: 2, Start: fromStart, End: untilEnd}},
		{Name: "sound", Input: "file", Kind: record.Audio{Spec: audio.Spec{Rate: 8000, Channels: 1, Length: 2400},
			Like: "clip"}},
		{Name: "title", Optional: true, Kind: record.Text{}},
		{Name: "n", Kind: record.Number{DType: spool.Int64}},
	}
	take := func(b *batch.Batch) []byte {
		var all []byte
		for f := range b.Fields() {
			all = append(all, b.FieldBytes(f)...)
		}
		for i := range b.Samples { // a consumer owns the values
			for _, v := range b.Samples[i].Values {
				all = append(all, v.Data...)
				clear(v.Data)
			}
			b.Samples[i].Values = nil
		}
		return append(all, fmt.Sprintf("%+v", b.Samples)...)
	}
	records := func() source.RecordSource {
		src, err := source.OpenRecords(context.Background(), []string{table}, schema.Inputs(), source.Options{})
		require.NoError(t, err)
		return src
	}
	load := func(src source.RecordSource, caches loader.Caches) [][]byte {
		got, err := loadRecords(t, src, loader.RecordOptions{Schema: schema, Options: loader.Options{Batch: 3, Epochs: 3,
			Shuffle: true, Seed: 1, Caches: caches}}, take)
		require.NoError(t, err)
		return got
	}
	run := func(caches loader.Caches) [][]byte { return load(records(), caches) }
	want := run(loader.Caches{})
	memory := newCache(t, 1<<20)
	src := records()
	assert.Equal(t, want, load(src, loader.Caches{Memory: memory}))
	assert.Equal(t, 8, memory.Stats().Items)
	before := memory.Stats().Hits
	assert.Equal(t, want, load(src, loader.Caches{Memory: memory}))
	assert.Equal(t, int64(24), memory.Stats().Hits-before)

	folder, err := cache.Open(t.TempDir(), cache.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, folder.Close()) }()
	assert.Equal(t, want, run(loader.Caches{Disk: folder}))
	before = folder.Stats().Hits
	assert.Equal(t, want, run(loader.Caches{Disk: folder}))
	assert.Equal(t, int64(24), folder.Stats().Hits-before, "a later run decodes nothing")
	require.NoError(t, os.WriteFile(table, bytes.ReplaceAll([]byte(text), []byte("segment 1"), []byte("other 1")), 0o600))
	assert.NotEqual(t, want, run(loader.Caches{Disk: folder}), "values are part of a sample's identity")
}

// A cache reports all options that it excludes in one error.
func TestCachesThatRecordsRefuse(t *testing.T) {
	schema := record.Schema{{Name: "image", Kind: record.Image{Augment: training}},
		{Name: "sound", Kind: record.Audio{Spec: audio.Spec{Rate: 8, Channels: 1, Length: 8}, Random: true}}}
	err := loader.RecordOptions{Schema: schema, Form: loader.Form{Kind: loader.FormPad}, Options: loader.Options{
		Caches: loader.Caches{Memory: newCache(t, 0)}}}.Validate()
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, text := range []string{"Caches.Memory excludes Form.Kind pad: cached samples have one size",
		"field image: ", "Augment: must not be set with a cache", "field sound: ", "Random: must not be set with a cache"} {
		assert.ErrorContains(t, err, text)
	}
}
