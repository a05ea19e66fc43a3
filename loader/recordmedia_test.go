package loader_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/source"
)

// Records of one video field have the clips of a loader of videos: the same frames, crops and random positions.
func TestRecordsOfOneFieldAreVideos(t *testing.T) {
	common := loader.Options{Batch: 3, Shuffle: true, Seed: 7, Epochs: 2, Last: batch.Pad}
	take := func(b *batch.Batch) []byte { return bytes.Clone(b.Bytes()) }
	for _, random := range []bool{false, true} {
		want, err := loadVideos(t, videos(t), loader.VideoOptions{Spec: frameSpec(24), Augment: training, Frames: 4,
			Random: random, Options: common}, take)
		require.NoError(t, err)
		got, err := loadRecords(t, folderOfOne{videos(t)}, loader.RecordOptions{Options: common,
			Schema: record.Schema{{Name: "clip", Kind: record.Video{Spec: frameSpec(24), Augment: training, Frames: 4,
				Random: random}}}}, take)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// Records of one audio field have the windows of a loader of audio.
func TestRecordsOfOneFieldAreAudio(t *testing.T) {
	src := open(t, "audio/flac.flac", "audio/s16.wav", "audio/alac.m4a", "audio/opus.opus")
	common := loader.Options{Batch: 3, Shuffle: true, Seed: 7, Epochs: 2, Last: batch.Pad}
	take := func(b *batch.Batch) []byte { return bytes.Clone(b.Bytes()) }
	spec := audio.Spec{Rate: 16000, Channels: 1, Length: 1000}
	for _, random := range []bool{false, true} {
		want, err := loadAudio(t, src, loader.AudioOptions{Spec: spec, Random: random, Options: common}, take)
		require.NoError(t, err)
		got, err := loadRecords(t, folderOfOne{src}, loader.RecordOptions{Options: common,
			Schema: record.Schema{{Name: "sound", Kind: record.Audio{Spec: spec, Random: random}}}}, take)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// segmentTable writes a table of segments of videos, and returns its name.
func segmentTable(t testing.TB, rows [][]string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "segments.csv")
	f, err := os.Create(name)
	require.NoError(t, err)
	w := csv.NewWriter(f)
	require.NoError(t, w.Write([]string{"video", "start", "end", "n"}))
	require.NoError(t, w.WriteAll(rows))
	require.NoError(t, f.Close())
	return name
}

var segmentSchema = record.Schema{
	{Name: "clip", Input: "video", Kind: record.Video{Spec: frameSpec(16), Frames: 3, Start: record.Time{Input: "start"},
		End: record.Time{Input: "end"}}},
	{Name: "class", Input: "n", Kind: record.Number{DType: spool.Int64}},
}

func openSegments(t testing.TB, table string) source.RecordSource {
	t.Helper()
	src, err := source.OpenRecords(context.Background(), []string{table}, segmentSchema.Inputs(), source.Options{})
	require.NoError(t, err)
	return src
}

// Rows of a table name parts of files. The clips are those of the decoder alone, for any number of workers, and a
// loader that resumes goes on with them.
func TestSegments(t *testing.T) {
	var rows [][]string
	dir, err := filepath.Abs(filepath.Join(media, "video"))
	require.NoError(t, err)
	for i := range 24 { // bframes.mp4 and opengop.mp4 have 25 frames a second
		file := filepath.Join(dir, []string{"bframes.mp4", "opengop.mp4"}[i%2])
		first := i % 20
		rows = append(rows, []string{file, fmt.Sprint(float64(first) / 25), fmt.Sprint(float64(first+3) / 25),
			strconv.Itoa(i)})
	}
	table := segmentTable(t, rows)
	run := func(workers int) (all [][]byte) {
		ld, err := loader.Records(openSegments(t, table), loader.RecordOptions{Schema: segmentSchema,
			Options: loader.Options{Batch: 4, Shuffle: true, Seed: 5, Workers: workers}})
		require.NoError(t, err)
		got, err := drain(t, ld, func(b *batch.Batch) []byte {
			for i, s := range b.Samples {
				row := rows[s.ID]
				want, _ := frames(t, row[0], frameSpec(16), func(v *video.Video) []int {
					start, err := strconv.ParseFloat(row[1], 64)
					require.NoError(t, err)
					first, err := v.Index().At(start + 0.001)
					require.NoError(t, err)
					list, err := index.Range(v.Len(), first, first+3, 1)
					require.NoError(t, err)
					return list
				})
				n := len(want)
				require.Equal(t, want, b.FieldBytes(0)[i*n:(i+1)*n], row)
			}
			return bytes.Clone(b.Memory())
		})
		require.NoError(t, err)
		return got
	}
	want := run(1)
	require.Len(t, want, 6)
	assert.Equal(t, want, run(2))
	assert.Equal(t, want, run(8))
}

// A bad segment costs its row only, and the ledger names the field.
func TestBadSegments(t *testing.T) {
	dir, err := filepath.Abs(filepath.Join(media, "video"))
	require.NoError(t, err)
	good := filepath.Join(dir, "bframes.mp4")
	table := segmentTable(t, [][]string{
		{good, "0", "0.4", "1"},
		{good, "5", "6", "2"},
		{good, "later", "6", "3"},
		{filepath.Join(dir, "noindex.mp4"), "0", "1", "4"},
		{filepath.Join(dir, "absent.mp4"), "0", "1", "5"},
		{good, "0", "", "6"},
		{good, "0", "0.4", "seven"},
		{good, "0.4", "1", "8"},
	})
	ledger := &pipe.MemoryLedger{}
	got, err := loadRecords(t, openSegments(t, table), loader.RecordOptions{Schema: segmentSchema,
		Options: loader.Options{Failures: loader.Failures{Ledger: ledger}, OnError: loader.Skip}},
		func(b *batch.Batch) (ids []int64) {
			for _, s := range b.Samples {
				ids = append(ids, s.ID)
			}
			return ids
		})
	require.NoError(t, err)
	assert.Equal(t, [][]int64{{0, 7}}, got)
	fields := map[string]string{}
	for _, f := range ledger.Failures() {
		fields[f.ID] = f.Field + " " + f.Class
	}
	assert.Equal(t, map[string]string{"1": "clip no-such-frame", "2": "clip corrupt", "3": "clip corrupt",
		"4": "clip not-found", "5": "clip not-found", "6": "class corrupt"}, fields)
}
