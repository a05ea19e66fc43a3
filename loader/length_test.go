package loader_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/source"
)

// longSpec is audio of any length.
var longSpec = audio.Spec{Rate: 8000, Channels: 1}

// longSchema has clips and audio of any length, of segments of one file.
var longSchema = record.Schema{
	{Name: "clip", Input: "file", Kind: record.Video{Spec: frameSpec(8), Frames: record.AllFrames, Start: fromStart,
		End: untilEnd}},
	{Name: "sound", Input: "file", Kind: record.Audio{Spec: longSpec, Start: fromStart, End: untilEnd}},
}

// longSegments is a table of segments of languages.mkv of several lengths, and a file that does not exist.
func longSegments(t testing.TB) (table string, segments [][2]float64) {
	t.Helper()
	file, err := filepath.Abs(filepath.Join(media, "video", "languages.mkv"))
	require.NoError(t, err)
	var text strings.Builder
	text.WriteString("file,start,end\n")
	for i := range 30 {
		start, name := float64(i%4)/10, file
		end := start + float64(1+i*7%8)/10
		if i == 11 {
			name = "absent.mkv"
		}
		fmt.Fprintf(&text, "%s,%v,%v\n", name, start, end)
		segments = append(segments, [2]float64{start, end})
	}
	table = filepath.Join(t.TempDir(), "t.csv")
	require.NoError(t, os.WriteFile(table, []byte(text.String()), 0o600))
	return table, segments
}

// longForms are forms of batches for clips and audio of any length.
var longForms = map[string]loader.Form{
	"pad":           {Kind: loader.FormPad},
	"pad, multiple": {Kind: loader.FormPad, Multiple: 4},
	"ragged":        {Kind: loader.FormRagged},
	"frames":        {Kind: loader.FormBudget, ClipFrames: 16},
	"samples":       {Kind: loader.FormBudget, AudioSamples: 12000, Ragged: true},
}

// wantLong returns the clip and the audio of a segment, from the decoders alone.
func wantLong(t testing.TB, segment [2]float64) (clip, sound []byte) {
	t.Helper()
	name := filepath.Join(media, "video", "languages.mkv")
	clip, _ = frames(t, name, frameSpec(8), func(v *video.Video) []int {
		first, n, err := v.Index().Segment(segment[0], segment[1], 1e-6)
		require.NoError(t, err)
		var list []int
		for i := range n {
			list = append(list, first+i)
		}
		return list
	})
	d, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	a, err := d.Audios.Open(context.Background(), spool.File(name), audio.OpenOptions{})
	require.NoError(t, err)
	defer a.Close()
	spec := longSpec
	spec.Start, spec.End = segment[0], segment[1]
	s, err := a.Read(context.Background(), spec)
	require.NoError(t, err)
	defer s.Release()
	return clip, bytes.Clone(s.Bytes())
}

// wants are results of wantLong, by segment. Many segments are the same.
type wants map[[2]float64][2][]byte

func (w wants) of(t testing.TB, segment [2]float64) (clip, sound []byte) {
	t.Helper()
	if _, ok := w[segment]; !ok {
		clip, sound = wantLong(t, segment)
		w[segment] = [2][]byte{clip, sound}
	}
	return w[segment][0], w[segment][1]
}

// Clips and audio of any length are those of the decoders, in each form, for any number of workers, and resumed after
// each batch.
func TestLengths(t *testing.T) {
	table, segments := longSegments(t)
	decoded := wants{}
	for name, form := range longForms {
		t.Run(name, func(t *testing.T) {
			options := func(workers int) loader.RecordOptions {
				return loader.RecordOptions{Schema: longSchema, Form: form, Options: loader.Options{Batch: 5, Shuffle: true,
					Seed: 2, Workers: workers}}
			}
			checked := false
			take := func(b *batch.Batch) []byte {
				for i, s := range b.Samples {
					if checked {
						break
					}
					clip, sound := decoded.of(t, segments[s.ID])
					got, _ := own(b, 0, i)
					require.Equal(t, clip, got)
					got, _ = own(b, 4, i)
					n := int(binary.NativeEndian.Uint64(b.FieldBytes(5)[8*i:]))
					require.Equal(t, sound, got[:4*n])
					require.LessOrEqual(t, len(got)-4*n, 8, "the header's length is that of the samples")
				}
				return append(arraysOf(b), fmt.Sprint(b.Index, b.Samples)...)
			}
			want, err := loadRecords(t, openInputs(t, table, longSchema), options(1), take)
			require.NoError(t, err)
			require.Greater(t, len(want), 4)
			checked = true
			for _, workers := range short.Of([]int{2, 8}, []int{8}) {
				got, err := loadRecords(t, openInputs(t, table, longSchema), options(workers), take)
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
			for stop := 1; stop < len(want); stop += short.Of(1, 3) {
				o := options(2)
				o.Resume = []loader.State{recordsAfter(t, openInputs(t, table, longSchema), o, stop)}
				got, err := loadRecords(t, openInputs(t, table, longSchema), o, take)
				require.NoError(t, err)
				require.Equal(t, want[stop:], got, stop)
			}
		})
	}
}

// arraysOf returns the bytes of all arrays.
func arraysOf(b *batch.Batch) (all []byte) {
	for f := range b.Fields() {
		all = append(all, b.FieldBytes(f)...)
	}
	return all
}

// recordsAfter returns the state of a loader of records after some batches.
func recordsAfter(t testing.TB, src source.RecordSource, o loader.RecordOptions, batches int) loader.State {
	t.Helper()
	ld, err := loader.Records(src, o)
	require.NoError(t, err)
	return stateAfter(t, ld, batches)
}

// stateAfter returns the state of a loader after some batches, and closes it.
func stateAfter(t testing.TB, ld *loader.Loader, batches int) loader.State {
	t.Helper()
	n := 0
	if batches > 0 {
		for b, err := range ld.Batches(context.Background()) {
			require.NoError(t, err)
			b.Release()
			if n++; n == batches {
				break
			}
		}
	}
	s, err := ld.State()
	require.NoError(t, err)
	require.NoError(t, ld.Close())
	return s
}

// Each batch has one of several lengths: the shortest that holds its samples. The padding is reported.
func TestLengthBuckets(t *testing.T) {
	table, segments := longSegments(t)
	decoded := wants{}
	for name, c := range map[string]struct {
		lengths []int
		field   string
		schema  record.Schema
		of      func(id int64) int // the length of a segment
	}{
		"frames": {[]int{2, 4, 6}, "clip", record.Schema{longSchema[0]}, func(id int64) int {
			clip, _ := decoded.of(t, segments[id])
			return len(clip) / (8 * 8 * 3)
		}},
		"samples": {[]int{1600, 3200, 4800}, "sound", record.Schema{longSchema[1]}, func(id int64) int {
			_, sound := decoded.of(t, segments[id])
			return len(sound) / 4
		}},
	} {
		t.Run(name, func(t *testing.T) {
			options := func(workers int) loader.RecordOptions {
				return loader.RecordOptions{Schema: c.schema, Form: loader.Form{Kind: loader.FormBucket, Lengths: c.lengths},
					Options: loader.Options{Batch: 3, Shuffle: true, Seed: 2, Workers: workers, Epochs: 2}}
			}
			waste := batch.Waste{}
			check := true
			take := func(b *batch.Batch) []byte {
				waste.Add(b.Waste())
				sample := b.Fields()[0].Sample
				length := sample.Shape[0]
				if sample.Layout == spool.CT {
					length = sample.Shape[1]
				}
				for _, s := range b.Samples {
					if !check {
						break
					}
					n := c.of(s.ID)
					shortest := c.lengths[len(c.lengths)-1]
					for i := len(c.lengths) - 1; i >= 0 && c.lengths[i] >= n; i-- {
						shortest = c.lengths[i]
					}
					require.Equal(t, shortest, length, "%d", n)
				}
				return append(arraysOf(b), fmt.Sprint(b.Index, b.Len())...)
			}
			want, err := loadRecords(t, openInputs(t, table, c.schema), options(1), take)
			require.NoError(t, err)
			assert.Positive(t, waste.Padding)
			assert.Less(t, waste.Share(), 0.35)
			check = false
			for _, workers := range short.Of([]int{2, 8}, []int{8}) {
				got, err := loadRecords(t, openInputs(t, table, c.schema), options(workers), take)
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
			for stop := 1; stop < len(want); stop += short.Of(1, 5) {
				o := options(2)
				o.Resume = []loader.State{recordsAfter(t, openInputs(t, table, c.schema), o, stop)}
				got, err := loadRecords(t, openInputs(t, table, c.schema), o, take)
				require.NoError(t, err)
				require.Equal(t, want[stop:], got, stop)
			}
		})
	}
}

// A bad sample costs only itself, and what a form cannot do is refused.
func TestWrongLengths(t *testing.T) {
	table, _ := longSegments(t)
	ledger := &pipe.MemoryLedger{}
	_, err := loadRecords(t, openInputs(t, table, longSchema), loader.RecordOptions{Schema: longSchema,
		Form:    loader.Form{Kind: loader.FormBudget, ClipFrames: 2},
		Options: loader.Options{Failures: loader.Failures{Ledger: ledger}}}, func(b *batch.Batch) int { return b.Len() })
	require.NoError(t, err)
	classes := map[string]int{}
	for _, f := range ledger.Failures() {
		classes[f.Class]++
	}
	assert.Equal(t, 1, classes["not-found"])
	assert.Positive(t, classes["too-large"], "one segment alone has more frames")

	for text, o := range map[string]loader.RecordOptions{
		"the clips of a batch need one length":                               {},
		"Spec.Length: must be set, as the audio of a batch needs one length": {Form: loader.Form{Kind: loader.FormDense}},
		"must be positive and ascending": {
			Form: loader.Form{Kind: loader.FormBucket, Lengths: []int{2, 2}}},
		"Form.Lengths needs Form.Kind bucket": {
			Form: loader.Form{Kind: loader.FormPad, Lengths: []int{2}}},
		"one of them": {
			Form: loader.Form{Kind: loader.FormBudget, ClipFrames: 2, AudioSamples: 3}},
		"need a video or audio field of any length": {
			Form: loader.Form{Kind: loader.FormBucket, Lengths: []int{2}, Field: "x"}},
		"Form.ClipFrames needs Form.Kind budget": {
			Form: loader.Form{Kind: loader.FormRagged, ClipFrames: 2}},
		"Form.Kind bucket and Sharing.Rank need Sharing.Rest uneven": {
			Form:    loader.Form{Kind: loader.FormBucket, Lengths: []int{2}},
			Options: loader.Options{Sharing: loader.Sharing{Rank: order.Rank{Index: 0, World: 2}}}},
		"Frames AllFrames excludes Random, Clips and Times": {Schema: record.Schema{{Name: "v",
			Kind: record.Video{Spec: frameSpec(8), Frames: record.AllFrames, Random: true}}}},
	} {
		if o.Schema == nil {
			o.Schema = longSchema
		}
		assert.ErrorContains(t, o.Validate(), text)
	}
}
