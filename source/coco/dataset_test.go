package coco_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/record/annotation"
	"github.com/spoolmedia/spool/source/coco"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func open(text string) (*coco.DataSet, error) {
	return coco.Open(context.Background(), spool.Bytes{Data: []byte(text), Name: "instances.json"})
}

// TestOpen compares a file of several chunks with encoding/json, whatever the order of its lists.
func TestOpen(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	type object map[string]any
	images, annotations := []object{}, []object{}
	want := map[int][]object{}
	for i := range 500 {
		images = append(images, object{"id": i * 7, "file_name": fmt.Sprintf("%d é\"[.jpg", i), "width": i, "height": 2 * i,
			"coco_url": "http://x/{"})
	}
	for i := range short.Of(6000, 2000) {
		image := r.IntN(510) * 7
		polygon := make([]float64, 2*r.IntN(60)+6)
		for k := range polygon {
			polygon[k] = float64(r.IntN(64000)) / 100
		}
		a := object{"id": float64(i), "image_id": float64(image), "category_id": float64(r.IntN(3)), "area": 1.5,
			"note": strings.Repeat(`]}\"`, r.IntN(5)), "segmentation": []any{polygon}, "bbox": []any{1.0, 2.0, 3.0, 4.0}}
		annotations = append(annotations, a)
		want[image] = append(want[image], a)
	}
	lists := map[string]any{"images": images, "annotations": annotations,
		"categories": []object{{"id": 1, "name": "cat", "supercategory": "animal"}, {"id": 2, "name": "dog"}},
		"info":       object{"a": []any{1, "x", nil}}, "licenses": 7}
	for _, names := range [][]string{{"info", "licenses", "images", "annotations", "categories"},
		{"annotations", "categories", "licenses", "info", "images"}} {
		var file strings.Builder
		for i, name := range names {
			text, err := json.MarshalIndent(lists[name], "", strings.Repeat(" ", 2*i))
			require.NoError(t, err)
			fmt.Fprintf(&file, "%s %q :\n%s ", map[bool]string{true: "{", false: ","}[i == 0], name, text)
		}
		require.Greater(t, file.Len(), short.Of(3<<20, 1<<20))
		set, err := open(file.String() + "}\n")
		require.NoError(t, err)
		require.Equal(t, len(images), set.Len())
		assert.Equal(t, []coco.Category{{ID: 1, Name: "cat"}, {ID: 2, Name: "dog"}}, set.Categories())
		used := 0
		for i := range set.Len() {
			image := coco.Image{ID: int64(i * 7), File: fmt.Sprintf("%d é\"[.jpg", i), Width: i, Height: 2 * i}
			require.Equal(t, image, set.Image(i))
			text, err := set.Annotations(context.Background(), i)
			require.NoError(t, err)
			if i%short.Of(1, 10) == 0 {
				expected, err := json.Marshal(append([]object{}, want[i*7]...))
				require.NoError(t, err)
				require.JSONEq(t, string(expected), string(text))
			}
			parsed, err := annotation.ParseCOCO(text)
			require.NoError(t, err)
			used += len(parsed)
		}
		assert.Equal(t, len(annotations)-used, set.Unused())
		assert.NotZero(t, set.Unused())
	}
}

func TestWithoutAnnotations(t *testing.T) {
	set, err := open(`{"images":[{"id":1,"file_name":"a.jpg"}]}`)
	require.NoError(t, err)
	list, err := set.Annotations(context.Background(), 0)
	require.NoError(t, err)
	assert.Equal(t, "[]", string(list))
	assert.Empty(t, set.Categories())
}

func TestErrors(t *testing.T) {
	for _, c := range [][2]string{
		{`[]`, `'[' at byte 0, not '{'`},
		{`{}`, `no list "images"`},
		{`{"a" 1}`, `'1' at byte 5, not ':'`},
		{`{1: 1}`, `no name of a member at byte 1`},
		{`{"a":}`, `no value at byte 5`},
		{`{"a":1 "b":2}`, `'"' at byte 7, not ','`},
		{`{"images":{}}`, `'{' at byte 10, not '['`},
		{`{"images":[],"images":[]}`, `a second list of images at byte 22`},
		{`{"images":[,]}`, `no value at byte 11`},
		{`{"images":[1]}`, `images[0]: a number, not an object, at byte 11`},
		{`{"images":[{"id":1}]}`, `images[0]: no "id" or no "file_name", at byte 11`},
		{
			`{"images":[ {"file_name":"a","id":1}, {"file_name":"a","id":"b"}]}`,
			`images[1]: id: a string, not a number, at byte 60`,
		},
		{
			`{"images":[{"id":1,"file_name":"a"},{"id":1,"file_name":"b"}]}`,
			`images[1] has the id of images[0], 1`,
		},
		{`{"annotations":[{"id":1}]}`, `annotations[0]: not an object with "image_id", at byte 16`},
		{`{"annotations":[7]}`, `annotations[0]: not an object with "image_id", at byte 16`},
		{
			`{"annotations":[{"image_id":"x"}]}`,
			`annotations[0]: image_id is not an integer: "\"x\"", at byte 16`,
		},
		{`{"categories":[{"name":"a"}]}`, `categories[0]: no "id", at byte 15`},
		{`{"categories":[{"id":1,"name":["a"]}]}`, `categories[0]: name: an array, not a string, at byte 30`},
	} {
		_, err := open(c[0])
		require.EqualError(t, err, "read instances.json: corrupt: "+c[1], c[0])
	}
	const text = `{"info":{"a":[1,"b"]},"images":[{"id":1,"file_name":"a"}],"annotations":[{"image_id":1}]}`
	for i := range text {
		_, err := open(text[:i])
		require.ErrorIs(t, err, spool.ErrTruncated)
	}
	if !testing.Short() { // it takes seconds with the race detector
		_, err := open(`{"annotations":["` + strings.Repeat("x", 66<<20) + `"]}`)
		require.EqualError(t, err, "read instances.json: too-large: a value of more than 64 MB at byte 16")
	}
	_, err := open(`{"other":"` + strings.Repeat("x", 3<<20) + `", "images":[]}`)
	require.NoError(t, err)
}

// failing is an object whose reads fail from an offset on.
type failing struct {
	spool.Bytes
	from int64
}

var errRead = errors.New("no more")

func (f *failing) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if off >= f.from {
		return 0, errRead
	}
	return f.Bytes.ReadAt(ctx, p, off)
}

func TestReadErrors(t *testing.T) {
	const text = `{"images":[{"id":1,"file_name":"a"}],"annotations":[{"image_id":1}]}`
	file := &failing{Bytes: spool.Bytes{Data: []byte(text)}}
	_, err := coco.Open(context.Background(), file)
	require.ErrorIs(t, err, errRead)
	file.from = 1 << 20
	set, err := coco.Open(context.Background(), file)
	require.NoError(t, err)
	file.from = 0
	_, err = set.Annotations(context.Background(), 0)
	require.ErrorIs(t, err, errRead)
}

// FuzzOpen: any bytes are refused with a class, or every image has a list of annotations.
func FuzzOpen(f *testing.F) {
	for _, text := range []string{
		`{"info":{},"images":[{"id":1,"file_name":"a"}],"annotations":[{"image_id":1,"x":"\"]"},{"image_id":2}]}`,
		`{"annotations":[{"a":[1,{"b":2}],"image_id":1}],"images":[{"id":1,"file_name":"a","width":3}]}`, `{"images":[]}`,
		`{"images":[],"annotations":[{]"":1}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := open(string(data))
		if err != nil {
			require.Contains(t, []spool.Class{spool.ErrCorrupt, spool.ErrTruncated}, spool.ClassOf(err), "%v", err)
			return
		}
		fuzzed.Accept()
		for i := range set.Len() {
			list, err := set.Annotations(context.Background(), i)
			require.NoError(t, err)
			require.True(t, !json.Valid(data) || json.Valid(list))
		}
	})
}

// BenchmarkOpen opens a file of 100,000 annotations, with outlines as in COCO: 45 MB.
func BenchmarkOpen(b *testing.B) {
	const annotations = 100_000
	var file strings.Builder
	file.WriteString(`{"images": [`)
	for i := range annotations / 8 {
		fmt.Fprintf(&file, `%s{"license": 3,"file_name": "%012d.jpg","height": 360,"width": 640,"id": %d}`,
			strings.Repeat(", ", min(i, 1)), i, i)
	}
	file.WriteString(`],"annotations": [`)
	for i := range annotations {
		fmt.Fprintf(&file, `%s{"segmentation": [[%s1.5,2.5]],"area": 702.10,"iscrowd": 0,"image_id": %d,`+
			`"bbox": [473.07,395.93,38.65,28.67],"category_id": 18,"id": %d}`,
			strings.Repeat(", ", min(i, 1)), strings.Repeat("510.66,423.01,", 20), i*7919%(annotations/8), i)
	}
	file.WriteString(`]}`)
	text := file.String()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		set, err := open(text)
		require.NoError(b, err)
		require.Zero(b, set.Unused())
	}
}
