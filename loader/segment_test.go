package loader_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/cache"
)

// languageTable is a table of segments of a file with two streams of video and two of audio, and of another file.
func languageTable(t testing.TB, medium string) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join(media, "video"))
	require.NoError(t, err)
	rows := map[string]string{
		"video": "languages.mkv,0,0.3,0\nlanguages.mkv,0.1,0.5,1\nbframes.mp4,0.2,0.6,0\nlanguages.mkv,0.3,0.9,1\n",
		"audio": "languages.mkv,0,0.3,2\nlanguages.mkv,0.1,0.5,3\nlanguages.mkv,0.2,0.6,2\nlanguages.mkv,0.3,0.9,3\n",
	}[medium]
	name := filepath.Join(t.TempDir(), "segments.csv")
	text := "file,start,end,stream\n" + strings.NewReplacer("languages", dir+"/languages", "bframes", dir+"/bframes").
		Replace(rows)
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func openMedium(t testing.TB, table string, medium source.Medium) *source.Listing {
	t.Helper()
	src, err := source.Open(context.Background(), []string{table}, source.Options{Medium: medium})
	require.NoError(t, err)
	return src
}

func openInputs(t testing.TB, table string, s record.Schema) source.RecordSource {
	t.Helper()
	src, err := source.OpenRecords(context.Background(), []string{table}, s.Inputs(), source.Options{})
	require.NoError(t, err)
	return src
}

var (
	fromStart = record.Time{Input: "start"}
	untilEnd  = record.Time{Input: "end"}
)

// Clips of a table's segments are those of records with the same times and streams.
func TestVideosOfSegments(t *testing.T) {
	table := languageTable(t, "video")
	take := func(b *batch.Batch) []byte { return bytes.Clone(b.FieldBytes(0)) }
	for _, random := range []bool{false, true} {
		common := loader.Options{Batch: 2, Seed: 3, Shuffle: true, Epochs: 2}
		schema := record.Schema{{Name: "clip", Input: "file", Kind: record.Video{Spec: frameSpec(24), Frames: 3,
			Random: random, Start: fromStart, End: untilEnd, Stream: "stream"}}}
		want, err := loadRecords(t, openInputs(t, table, schema), loader.RecordOptions{Schema: schema, Options: common}, take)
		require.NoError(t, err)
		o := loader.VideoOptions{Spec: frameSpec(24), Frames: 3, Random: random, Options: common}
		got, err := loadVideos(t, openMedium(t, table, source.Videos), o, take)
		require.NoError(t, err)
		require.Len(t, got, 4)
		assert.Equal(t, want, got)
		whole, err := source.Open(context.Background(), []string{table}, source.Options{Medium: source.Videos,
			Ignore: []string{"start", "end", "stream"}})
		require.NoError(t, err)
		other, err := loadVideos(t, whole, o, take)
		require.NoError(t, err)
		assert.NotEqual(t, got, other)
	}
}

// All frames of a segment, two at a time.
func TestEveryFrameOfSegments(t *testing.T) {
	var frames [][]int
	_, err := loadVideos(t, openMedium(t, languageTable(t, "video"), source.Videos),
		loader.VideoOptions{Spec: frameSpec(24), Every: 3, Options: loader.Options{Workers: 1}}, func(b *batch.Batch) int {
			var numbers []int
			for _, f := range b.Samples[0].Frames {
				numbers = append(numbers, f.Index)
			}
			if b.Samples[0].ID == 2 {
				frames = append(frames, numbers)
				assert.Equal(t, len(frames) < 4, b.Samples[0].More)
			}
			return 0
		})
	require.NoError(t, err)
	assert.Equal(t, [][]int{{5, 6, 7}, {8, 9, 10}, {11, 12, 13}, {14}}, frames)
}

// Windows of a table's segments are those of records with the same times and streams.
func TestAudioOfSegments(t *testing.T) {
	table := languageTable(t, "audio")
	take := func(b *batch.Batch) []byte { return bytes.Clone(b.FieldBytes(0)) }
	spec := audio.Spec{Rate: 16000, Channels: 1, Length: 1600}
	for _, random := range []bool{false, true} {
		common := loader.Options{Batch: 2, Seed: 3, Shuffle: true, Epochs: 2}
		schema := record.Schema{{Name: "sound", Input: "file", Kind: record.Audio{Spec: spec, Random: random,
			Start: fromStart, End: untilEnd, Stream: "stream"}}}
		want, err := loadRecords(t, openInputs(t, table, schema), loader.RecordOptions{Schema: schema, Options: common}, take)
		require.NoError(t, err)
		got, err := loadAudio(t, openMedium(t, table, source.Audio), loader.AudioOptions{Spec: spec, Random: random,
			Options: common}, take)
		require.NoError(t, err)
		require.Len(t, got, 4)
		assert.Equal(t, want, got)
	}
}

// A disk cache keeps each segment of a file by itself.
func TestDiskCacheOfSegments(t *testing.T) {
	folder, err := cache.Open(t.TempDir(), cache.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, folder.Close()) }()
	take := func(b *batch.Batch) []byte { return bytes.Clone(b.FieldBytes(0)) }
	var all [2][][]byte
	for i := range all {
		all[i], err = loadVideos(t, openMedium(t, languageTable(t, "video"), source.Videos), loader.VideoOptions{
			Spec: frameSpec(24), Frames: 3, Options: loader.Options{Batch: 1, Caches: loader.Caches{Disk: folder}}}, take)
		require.NoError(t, err)
	}
	assert.Equal(t, all[0], all[1])
	assert.NotEqual(t, all[0][0], all[0][3])
	assert.Equal(t, int64(4), folder.Stats().Hits)
}

// A bad segment costs its row only.
func TestBadRowsOfSegments(t *testing.T) {
	dir, err := filepath.Abs(filepath.Join(media, "video"))
	require.NoError(t, err)
	good := filepath.Join(dir, "bframes.mp4")
	var text strings.Builder
	text.WriteString("file,start,end,stream\n")
	for _, row := range []string{"0,0.4,", "5,6,", "later,6,", "0,1,7", "0.4,0.3,", "0.4,,0"} {
		text.WriteString(good + "," + row + "\n")
	}
	table := filepath.Join(t.TempDir(), "t.csv")
	require.NoError(t, os.WriteFile(table, []byte(text.String()), 0o600))
	ledger := &pipe.MemoryLedger{}
	got, err := loadVideos(t, openMedium(t, table, source.Videos), loader.VideoOptions{Spec: frameSpec(8), Frames: 2,
		Options: loader.Options{Failures: loader.Failures{Ledger: ledger}}}, func(b *batch.Batch) (ids []int64) {
		for _, s := range b.Samples {
			ids = append(ids, s.ID)
		}
		return ids
	})
	require.NoError(t, err)
	assert.Equal(t, [][]int64{{0, 5}}, got)
	classes := map[string]string{}
	for _, f := range ledger.Failures() {
		classes[f.ID] = f.Class
	}
	assert.Equal(t, map[string]string{"1": "no-such-frame", "2": "corrupt", "3": "no-such-frame", "4": "corrupt"}, classes)

	text.Reset()
	for _, f := range ledger.Failures() {
		line, err := json.Marshal(f)
		require.NoError(t, err)
		text.Write(append(line, '\n'))
	}
	again := filepath.Join(t.TempDir(), "ledger.jsonl")
	require.NoError(t, os.WriteFile(again, []byte(text.String()), 0o600))
	src := openMedium(t, again, source.Videos)
	parts := map[string]string{}
	for i, f := range ledger.Failures() {
		part, err := src.Segment(t.Context(), i)
		require.NoError(t, err)
		parts[f.ID] = part.String()
	}
	assert.Equal(t, map[string]string{"1": "[5, 6)", "2": "[-Inf, +Inf)", "3": "[0, 1) of stream 7", "4": "[-Inf, +Inf)"},
		parts, "rows 2 and 4 name no segment")
}

// Files stay open for the later segments, and a bad segment ends that for its own video only.
func TestVideosStayOpenForSegments(t *testing.T) {
	file, err := filepath.Abs(filepath.Join(media, "video", "bframes.mp4"))
	require.NoError(t, err)
	text := "file,start,end\n"
	for i := range 8 {
		text += fmt.Sprintf("%s,%v,%v\n", file, float64(i)/10, float64(i+2)/10)
	}
	text += file + ",7,8\n"
	table := filepath.Join(t.TempDir(), "segments.csv")
	require.NoError(t, os.WriteFile(table, []byte(text), 0o600))
	for _, every := range []int{0, 2} {
		var n [2]int64 // reads of the beginning, with one epoch and with three
		for k := range n {
			var begun atomic.Int64 // reads of a file's first byte, where the header of most containers is
			src := watched{openMedium(t, table, source.Videos), func(_ int, off int64) {
				if off == 0 {
					begun.Add(1)
				}
			}}
			_, err := loadVideos(t, src, loader.VideoOptions{Spec: frameSpec(8), Every: every,
				Options: loader.Options{Workers: 1, Epochs: 1 + 2*k}}, (*batch.Batch).Len)
			require.NoError(t, err)
			n[k] = begun.Load()
		}
		assert.Positive(t, n[0])
		assert.LessOrEqual(t, n[1]-n[0], int64(2), "each epoch goes back once, and opens nothing")
	}
}
