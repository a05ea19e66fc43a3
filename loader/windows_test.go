package loader_test

import (
	"bytes"
	"context"
	"encoding/json"
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
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/source"
)

// windowsOf lists files and their windows of 0.4 s. bframes.mp4 and opengop.mp4 have 25 frames a second.
func windowsOf(t testing.TB, files ...string) source.Segmented {
	t.Helper()
	for i, name := range files {
		files[i] = filepath.Join(media, "video", name)
	}
	src, err := loader.Windows(context.Background(), source.Files(files...), loader.WindowOptions{Seconds: 0.4})
	require.NoError(t, err)
	return src
}

// taken is what tests take of a batch of clips.
type taken struct {
	ids    []int64
	frames [][]int
	pixels []byte
}

func takeClips(b *batch.Batch) (x taken) {
	for _, s := range b.Samples {
		var numbers []int
		for _, f := range s.Frames {
			numbers = append(numbers, f.Index)
		}
		x.ids, x.frames = append(x.ids, s.ID), append(x.frames, numbers)
	}
	x.pixels = bytes.Clone(b.Bytes())
	return x
}

// Each frame of each video is in one window. A video that cannot be opened is one bad sample.
func TestWindows(t *testing.T) {
	src := windowsOf(t, "bframes.mp4", "absent.mp4", "late.mkv")
	ledger := &pipe.MemoryLedger{}
	got, err := loadVideos(t, src, loader.VideoOptions{Spec: frameSpec(8), Every: 100,
		Options: loader.Options{Workers: 1, Failures: loader.Failures{Ledger: ledger}}}, takeClips)
	require.NoError(t, err)
	number := func(from, to int) (all []int) {
		for i := from; i < to; i++ {
			all = append(all, i)
		}
		return all
	}
	require.GreaterOrEqual(t, len(got), 5)
	for i, want := range [][]int{number(0, 10), number(10, 20), number(20, 25)} {
		assert.Equal(t, [][]int{want}, got[i].frames)
	}
	next := 0 // late.mkv, whose clock begins at 7.5 s
	for _, x := range got[3:] {
		assert.Equal(t, next, x.frames[0][0])
		next += len(x.frames[0])
	}
	require.Len(t, ledger.Failures(), 1)
	assert.Equal(t, "not-found", ledger.Failures()[0].Class)
	assert.Equal(t, "3", ledger.Failures()[0].ID)
	assert.Equal(t, int64(4), src.Item(4).ID)

	for _, bad := range []float64{0, -1} {
		_, err = loader.Windows(context.Background(), source.Files("x"), loader.WindowOptions{Seconds: bad, Workers: -1})
		require.ErrorIs(t, err, spool.ErrOptions)
		assert.ErrorContains(t, err, "Workers")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = loader.Windows(ctx, source.Files("x"), loader.WindowOptions{Seconds: 1})
	require.ErrorIs(t, err, spool.ErrCanceled)
}

// Windows of any number of workers are equal, and a run resumes after each batch. States of other windows are refused.
func TestWindowsResume(t *testing.T) {
	files := func() source.Segmented { return windowsOf(t, "bframes.mp4", "opengop.mp4", "late.mkv", "vfr.mp4") }
	options := func(workers int) loader.VideoOptions {
		return loader.VideoOptions{Spec: frameSpec(16), Frames: 2, Random: true, Options: loader.Options{Batch: 3, Epochs: 2,
			Shuffle: true, Seed: 4, Workers: workers}}
	}
	want, err := loadVideos(t, files(), options(1), takeClips)
	require.NoError(t, err)
	require.Greater(t, len(want), 6)
	for _, workers := range []int{2, 8} {
		got, err := loadVideos(t, files(), options(workers), takeClips)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for stop := 1; stop < len(want); stop++ {
		ld, err := loader.Videos(files(), options(2))
		require.NoError(t, err)
		state := stateAfter(t, ld, stop)
		o := options(3)
		o.Resume = []loader.State{state}
		got, err := loadVideos(t, files(), o, takeClips)
		require.NoError(t, err)
		assert.Equal(t, want[stop:], got, stop)
		if stop == 1 {
			other, err := loader.Windows(context.Background(), source.Files(filepath.Join(media, "video", "bframes.mp4")),
				loader.WindowOptions{Seconds: 0.1})
			require.NoError(t, err)
			text, err := json.Marshal(state)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &o.Resume[0]))
			o.Resume[0].Samples = other.Len()
			_, err = loader.Videos(other, o)
			assert.ErrorIs(t, err, spool.ErrOptions)
		}
	}
}

// Windows of records: video and audio have them, other fields are repeated. They are also windows of segments.
func TestWindowsOfRecords(t *testing.T) {
	dir, err := filepath.Abs(filepath.Join(media, "video"))
	require.NoError(t, err)
	table := filepath.Join(t.TempDir(), "t.csv")
	require.NoError(t, os.WriteFile(table, fmt.Appendf(nil,
		"file,n\n%s/languages.mkv,5\n%[1]s/languages.mkv,6\n", dir), 0o600))
	spec := audio.Spec{Rate: 8000, Channels: 1, Length: 3200}
	schema := record.Schema{
		{Name: "n", Kind: record.Number{DType: spool.Uint8}},
		{Name: "clip", Input: "file", Kind: record.Video{Spec: frameSpec(16), Frames: 3}},
		{Name: "sound", Input: "file", Kind: record.Audio{Spec: spec}},
		{Name: "same", Input: "file", Kind: record.Audio{Spec: spec, Like: "clip"}},
	}
	records, err := source.OpenRecords(context.Background(), []string{table}, schema.Inputs(), source.Options{})
	require.NoError(t, err)
	src, err := loader.Windows(context.Background(), records, loader.WindowOptions{Seconds: 0.4, Input: schema.Input(1)})
	require.NoError(t, err)
	require.Equal(t, 6, src.Len())
	type fields struct{ n, clip, index, sound, same []byte }
	got, err := loadRecords(t, src.(source.RecordSource), loader.RecordOptions{Schema: schema,
		Options: loader.Options{Batch: 1}}, func(b *batch.Batch) fields {
		at := func(i int) []byte { return bytes.Clone(b.FieldBytes(i)) }
		return fields{at(0), at(1), at(3), at(5), at(8)}
	})
	require.NoError(t, err)
	videos, err := loadVideos(t, windowsOf(t, "languages.mkv"), loader.VideoOptions{Spec: frameSpec(16), Frames: 3,
		Options: loader.Options{Batch: 1}}, takeClips)
	require.NoError(t, err)
	require.Len(t, videos, 3)
	for i, x := range got {
		assert.Equal(t, []byte{byte(5 + i/3)}, x.n)
		assert.Equal(t, videos[i%3].pixels, x.clip)
		assert.Equal(t, x.same, x.sound)
		assert.NotEqual(t, got[(i+1)%3].sound, x.sound)
	}
	ld, err := loader.Records(src.(source.RecordSource), loader.RecordOptions{Schema: schema})
	require.NoError(t, err)
	b, err := ld.Read(t.Context(), 0, 4)
	require.NoError(t, err)
	assert.Equal(t, got[4].clip, b.FieldBytes(1))
	assert.Equal(t, got[4].sound, b.FieldBytes(5))
	b.Release()
	require.NoError(t, ld.Close())
}
