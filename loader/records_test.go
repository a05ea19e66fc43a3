package loader_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode"
	spoolimage "github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// rows is a source of records: the inputs of each sample, nil for one that it lacks.
type rows [][][]byte

func (r rows) Len() int          { return len(r) }
func (r rows) Classes() []string { return nil }
func (r rows) Item(i int) source.Item {
	return source.Item{ID: int64(i), Name: fmt.Sprint(i), Label: int64(i % 3), Key: fmt.Sprintf("key%d", i)}
}

func (r rows) Open(ctx context.Context, i int) (spool.Object, error) { return r.OpenInput(ctx, i, 0) }

func (r rows) OpenInput(_ context.Context, i, k int) (spool.Object, error) {
	if r[i][k] == nil {
		return nil, nil
	}
	return spool.Bytes{Data: r[i][k], Name: fmt.Sprintf("%d.%d", i, k)}, nil
}

// labels returns a gray image of random values, as PNG.
func labels(t testing.TB, r *rand.Rand, width, height int) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = byte(r.UintN(256))
	}
	return encoded(t, img)
}

func encoded(t testing.TB, img image.Image) []byte {
	t.Helper()
	var w bytes.Buffer
	require.NoError(t, png.Encode(&w, img))
	return w.Bytes()
}

// grayField is an image field that copies pixels as a mask does, so that both can be compared.
func grayField(size int, a resize.Augment, views int) record.Image {
	return record.Image{Augment: a, Views: views, Spec: spoolimage.Spec{Color: decode.Gray,
		Resize: resize.Spec{Width: size, Height: size, Filter: resize.NearestFloor}}}
}

var training = resize.Augment{ResizedCrop: new(resize.RandomResizedCrop), FlipX: 0.5, FlipY: 0.3}

// loadRecords runs a loader of records to its end.
func loadRecords[T any](t testing.TB, src source.RecordSource, o loader.RecordOptions,
	take func(*batch.Batch) T) ([]T, error) {
	t.Helper()
	ld, err := loader.Records(src, o)
	require.NoError(t, err)
	return drain(t, ld, take)
}

// fieldOf returns a copy of a field's array.
func fieldOf(t testing.TB, b *batch.Batch, name string) []byte {
	t.Helper()
	for f, field := range b.Fields() {
		if field.Name == name {
			return bytes.Clone(b.FieldBytes(f))
		}
	}
	require.FailNow(t, "no array "+name)
	return nil
}

// folderOfOne makes a listing a source of records with one input.
type folderOfOne struct{ *source.Listing }

func (f folderOfOne) OpenInput(ctx context.Context, i, _ int) (spool.Object, error) {
	return f.Open(ctx, i)
}

func TestRecordsOfOneFieldAreImages(t *testing.T) {
	src := open(t, "photos")
	common := loader.Options{Batch: 8, Shuffle: true, Seed: 7, Epochs: 2, Last: batch.Pad}
	take := func(b *batch.Batch) []byte { return bytes.Clone(b.Bytes()) }
	want, err := load(t, src, loader.ImageOptions{Spec: spec(32), Augment: training, Options: common}, take)
	require.NoError(t, err)
	got, err := loadRecords(t, folderOfOne{src}, loader.RecordOptions{Options: common,
		Schema: record.Schema{{Name: "image", Kind: record.Image{Spec: spec(32), Augment: training}}}}, take)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// A mask that has the bytes of its image, decoded like a mask, shows the same pixels in each view.
func TestMaskFollowsItsImage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var src rows
	for range 60 {
		data := labels(t, r, 20+r.IntN(80), 20+r.IntN(80))
		src = append(src, [][]byte{data, bytes.Clone(data)})
	}
	schema := record.Schema{{Name: "image", Kind: grayField(24, training, 3)},
		{Name: "mask", Input: "seg.png", Kind: record.Mask{Like: "image"}}}
	distinct := map[string]bool{}
	_, err := loadRecords(t, src, loader.RecordOptions{Schema: schema, Options: loader.Options{Batch: 7, Epochs: 3}},
		func(b *batch.Batch) bool {
			for view := range 3 {
				pixels := fieldOf(t, b, fmt.Sprintf("image.%d", view))
				assert.Equal(t, pixels, fieldOf(t, b, fmt.Sprintf("mask.%d", view)))
				distinct[string(pixels)] = true
			}
			return true
		})
	require.NoError(t, err)
	assert.Len(t, distinct, 3*3*9, "every view of every epoch has its own crop")
}

// A mask of half its image's size shows the values at the same places, if the crop has even edges.
func TestMaskOfAnotherSize(t *testing.T) {
	small := image.NewGray(image.Rect(0, 0, 30, 20))
	for i := range small.Pix {
		small.Pix[i] = byte(i)
	}
	large := image.NewGray(image.Rect(0, 0, 60, 40))
	for y := range 40 {
		for x := range 60 {
			large.SetGray(x, y, small.GrayAt(x/2, y/2))
		}
	}
	for _, box := range []resize.Rect{{}, {Left: 10, Top: 4, Width: 30, Height: 20},
		{Left: 58, Top: 38, Width: 2, Height: 2}} {
		field := grayField(16, resize.Augment{}, 0)
		field.Spec.Resize.Box, field.Spec.Resize.FlipX = box, true
		schema := record.Schema{{Name: "image", Kind: field}, {Name: "mask", Kind: record.Mask{Like: "image"}}}
		_, err := loadRecords(t, rows{{encoded(t, large), encoded(t, small)}}, loader.RecordOptions{Schema: schema},
			func(b *batch.Batch) bool {
				return assert.Equal(t, fieldOf(t, b, "image"), fieldOf(t, b, "mask"), "%v", box)
			})
		require.NoError(t, err)
	}
}

func TestMaskKeepsItsValues(t *testing.T) {
	palette := image.NewPaletted(image.Rect(0, 0, 37, 53), color.Palette{color.Black, color.White, color.Gray{Y: 9}})
	for i := range palette.Pix {
		palette.Pix[i] = byte(i % 3)
	}
	schema := record.Schema{{Name: "image", Kind: record.Image{Spec: spec(40), Augment: training}},
		{Name: "mask", Kind: record.Mask{Like: "image", Fill: 7}}}
	_, err := loadRecords(t, rows{{encoded(t, palette), encoded(t, palette)}},
		loader.RecordOptions{Schema: schema, Options: loader.Options{Epochs: 20}}, func(b *batch.Batch) bool {
			for _, v := range fieldOf(t, b, "mask") {
				require.Less(t, v, byte(3))
			}
			assert.Equal(t, spool.Shape{1, 40, 40}, b.FieldDesc(1).Shape)
			return true
		})
	require.NoError(t, err)
}

func value(t testing.TB, s batch.Sample, name string) batch.Value {
	t.Helper()
	for _, v := range s.Values {
		if v.Field == name {
			return v
		}
	}
	require.FailNow(t, "no value "+name)
	return batch.Value{}
}

func TestValues(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	picture := labels(t, r, 9, 9)
	schema := record.Schema{
		{Name: "image", Kind: grayField(8, resize.Augment{}, 0)},
		{Name: "caption", Input: "txt", Optional: true, Kind: record.Text{}},
		{Name: "meta", Input: "json", Kind: record.JSON{}},
		{Name: "raw", Input: "bin", Kind: record.Bytes{}},
		{Name: "score", Optional: true, Kind: record.Number{DType: spool.Float32, Default: 0.5}},
		{Name: "pose", Kind: record.Number{DType: spool.Int64, Shape: spool.Shape{2, 2}}},
	}
	src := rows{
		{picture, []byte("a café"), []byte(`{"a": [1, 2]}`), {0, 255}, []byte("1.25"), []byte("[[1, -2], [3, 4]]")},
		{picture, nil, []byte("null"), {}, nil, []byte("[1e3, 5, 6, 7.0]")},
	}
	_, err := loadRecords(t, src, loader.RecordOptions{Schema: schema}, func(b *batch.Batch) bool {
		require.Equal(t, 2, b.Len())
		first, second := b.Samples[0], b.Samples[1]
		assert.Equal(t, "a café", string(value(t, first, "caption").Data))
		assert.Nil(t, value(t, second, "caption").Desc.Shape)
		assert.Equal(t, []string{"caption", "score"}, second.Absent)
		assert.JSONEq(t, `{"a": [1, 2]}`, string(value(t, first, "meta").Data))
		assert.Equal(t, []byte{0, 255}, value(t, first, "raw").Data)
		assert.Empty(t, value(t, second, "raw").Data)
		assert.NotNil(t, value(t, second, "raw").Desc.Shape, "empty is not absent")
		var score [2]float32
		var pose [8]int64
		require.NoError(t, binary.Read(bytes.NewReader(fieldOf(t, b, "score")), binary.NativeEndian, &score))
		require.NoError(t, binary.Read(bytes.NewReader(fieldOf(t, b, "pose")), binary.NativeEndian, &pose))
		assert.Equal(t, [2]float32{1.25, 0.5}, score)
		assert.Equal(t, [8]int64{1, -2, 3, 4, 1000, 5, 6, 7}, pose)
		assert.Equal(t, "key1", second.Key)
		return true
	})
	require.NoError(t, err)
}

// A bad label is named as its column, and a bad row has no field.
func TestBadRows(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "x.png"), labels(t, rand.New(rand.NewPCG(1, 2)), 9, 9), 0o600))
	table := filepath.Join(folder, "t.csv")
	require.NoError(t, os.WriteFile(table, []byte("image,class\nx.png,1\nx.png,dog\nx.png\nx.png,2\n"), 0o600))
	schema := record.Schema{{Name: "picture", Input: "image", Kind: grayField(8, resize.Augment{}, 0)}}
	src, err := source.OpenRecords(t.Context(), []string{table}, schema.Inputs(), source.Options{})
	require.NoError(t, err)
	ledger := &pipe.MemoryLedger{}
	_, err = loadRecords(t, src, loader.RecordOptions{Schema: schema, Options: loader.Options{
		Failures: loader.Failures{Ledger: ledger}}}, func(b *batch.Batch) int { return b.Len() })
	require.NoError(t, err)
	fields := map[string]string{}
	for _, f := range ledger.Failures() {
		fields[f.ID] = f.Field + ": " + f.Text
	}
	assert.Equal(t, map[string]string{"1": `class: column class: the label "dog" is no integer from 0 up`,
		"2": ": row 3 of the manifest: fewer columns than the first row names"}, fields)
}

func TestBadFields(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	good := labels(t, r, 9, 9)
	schema := record.Schema{{Name: "image", Kind: grayField(8, resize.Augment{}, 0)},
		{Name: "mask", Kind: record.Mask{Like: "image"}}, {Name: "caption", Kind: record.Text{}},
		{Name: "n", Kind: record.Number{DType: spool.Uint8}}}
	text, one := []byte("x"), []byte("1")
	src := rows{
		{good, good, text, one},
		{good[:40], good, text, one},
		{good, []byte("no image"), text, one},
		{good, good, []byte{0xff}, one},
		{good, good, nil, one},
		{good, good, text, []byte("300")},
		{good, good, text, []byte("[1, 2]")},
		{good, nil, text, one},
		{good, good, text, one},
	}
	for _, policy := range []loader.Policy{loader.Skip, loader.Placeholder} {
		ledger := &pipe.MemoryLedger{}
		got, err := loadRecords(t, src, loader.RecordOptions{Schema: schema, Options: loader.Options{OnError: policy,
			Failures: loader.Failures{Ledger: ledger}}}, func(b *batch.Batch) (states []batch.SlotState) {
			for _, s := range b.Samples {
				states = append(states, s.State)
				assert.Len(t, s.Values, 1, "also of a placeholder")
			}
			return states
		})
		require.NoError(t, err)
		if policy == loader.Skip {
			assert.Equal(t, [][]batch.SlotState{{0, 0}}, got)
		} else {
			assert.Equal(t, [][]batch.SlotState{{0, 2, 2, 2, 2, 2, 2, 2, 0}}, got)
		}
		fields := map[string]string{}
		for _, f := range ledger.Failures() {
			fields[f.ID] = f.Field + " " + f.Class
		}
		assert.Equal(t, map[string]string{"1": "image truncated", "2": "mask not-media", "3": "caption corrupt",
			"4": "caption not-found", "5": "n corrupt", "6": "n corrupt", "7": "mask not-found"}, fields)
	}
}

// The batches are the same for any number of workers, and the draws do not depend on other fields.
func TestRecordsAreTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var src, more rows
	for range 40 {
		data := labels(t, r, 20+r.IntN(40), 20+r.IntN(40))
		src = append(src, [][]byte{data})
		more = append(more, [][]byte{data, []byte("text")})
	}
	run := func(src rows, schema record.Schema, workers int) [][]byte {
		got, err := loadRecords(t, src, loader.RecordOptions{Schema: schema, Options: loader.Options{Batch: 6, Shuffle: true,
			Epochs: 2, Workers: workers, Seed: 3}}, func(b *batch.Batch) []byte { return fieldOf(t, b, "image") })
		require.NoError(t, err)
		return got
	}
	schema := record.Schema{{Name: "image", Input: "png", Kind: grayField(16, training, 0)}}
	want := run(src, schema, 1)
	assert.Equal(t, want, run(src, schema, 8))
	assert.Equal(t, want, run(more, append(schema, record.Field{Name: "caption", Kind: record.Text{}}), 8))
}

func TestRecordOptions(t *testing.T) {
	err := loader.RecordOptions{Schema: record.Schema{{Name: "0", Kind: record.Text{}},
		{Name: "mask", Kind: record.Mask{Like: "picture"}}, {Name: "mask", Kind: record.Number{DType: spool.Float16}},
		{Name: "image", Kind: record.Image{}}}}.Validate()
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, text := range []string{`Name 0`, "no field has this name", "two fields have this name", "one size", "DType"} {
		assert.ErrorContains(t, err, text)
	}
	assert.ErrorContains(t, loader.RecordOptions{Schema: record.Schema{{Name: "a", Kind: record.Text{}}}}.Validate(),
		"at least one field of a fixed size")
}
