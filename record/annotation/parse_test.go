package annotation_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/record/annotation"
)

// array returns an NPY file.
func array(code, shape string, values any) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", code, shape)
	file := bytes.NewBufferString("\x93NUMPY\x01\x00")
	_ = binary.Write(file, binary.LittleEndian, uint16(len(header)))
	file.WriteString(header)
	_ = binary.Write(file, binary.LittleEndian, values)
	return file.Bytes()
}

func TestParseBoxes(t *testing.T) {
	two := annotation.Boxes{Format: annotation.CXCYWH, Coords: []float32{1, 2, 3, 4, 5, 6, 7, 8}, Index: []int64{0, 1},
		Integer: true}
	labeled, floats, none := two, two, annotation.Boxes{Format: annotation.CXCYWH, Coords: []float32{}, Index: []int64{}}
	labeled.Labels, floats.Integer = []int64{9, -1}, false
	noLabels := none
	noLabels.Labels = []int64{}
	for text, want := range map[string]annotation.Boxes{
		`[[1,2,3,4],[5,6,7,8]]`:                                                     two,
		` [ [1.0, 2, 3, 4e0], [5, 6, 7, 8] ] `:                                      floats,
		`{"boxes": [[1,2,3,4],[5,6,7,8]], "labels": [9, -1]}`:                       labeled,
		`{"x": {"boxes": 1}, "labels": [9, -1.0], "bboxes": [[1,2,3,4],[5,6,7,8]]}`: labeled,
		`{"bbox": [[1,2,3,4],[5,6,7,8]], "category": [9, -1], "id": [1, 2]}`:        labeled,
		`[]`:                          none,
		`{"boxes": []}`:               none,
		`{"labels": [], "boxes": []}`: noLabels,
		string(array("<f4", "(2, 4)", []float32{1, 2, 3, 4, 5, 6, 7, 8})): floats,
		string(array("<f8", "(2, 4)", []float64{1, 2, 3, 4, 5, 6, 7, 8})): floats,
		string(array("|i1", "(2, 4)", []int8{1, 2, 3, 4, 5, 6, 7, 8})):    two,
		string(array("<i2", "(2, 4)", []int16{1, 2, 3, 4, 5, 6, 7, 8})):   two,
		string(array("<i4", "(2, 4)", []int32{1, 2, 3, 4, 5, 6, 7, 8})):   two,
		string(array("<i8", "(2, 4)", []int64{1, 2, 3, 4, 5, 6, 7, 8})):   two,
		string(array("|u1", "(2, 4)", []uint8{1, 2, 3, 4, 5, 6, 7, 8})):   two,
		string(array("<u2", "(2, 4)", []uint16{1, 2, 3, 4, 5, 6, 7, 8})):  two,
		string(array("<u4", "(2, 4)", []uint32{1, 2, 3, 4, 5, 6, 7, 8})):  two,
		string(array("<f4", "(0, 4)", []float32{})):                       none,
	} {
		got, err := annotation.ParseBoxes([]byte(text), annotation.CXCYWH)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}

	coco := annotation.Boxes{Format: annotation.XYWH, Coords: []float32{1, 2, 3, 4, 5, 6, 7, 8.5}, Index: []int64{0, 1},
		Labels: []int64{7, 8}}
	const list = `[{"category_id":7,"bbox":[1,2,3,4],"id":1},{"bbox":[5,6,7,8.5],"category_id":8}]`
	for _, text := range []string{list, `{"labels": [1], "annotations": ` + list + `}`} {
		got, err := annotation.ParseBoxes([]byte(text), annotation.CXCYWH)
		require.NoError(t, err, text)
		assert.Equal(t, coco, got, text)
	}
}

func TestParsePoints(t *testing.T) {
	for text, want := range map[string]annotation.Points{
		`[[1,2],[3,4.5]]`:            {Coords: []float32{1, 2, 3, 4.5}},
		`[[1,2,0.5],[3,4,2]]`:        {Coords: []float32{1, 2, 3, 4}, Visibility: []float32{0.5, 2}, Integer: true},
		`{"points":[[1,2]], "z": 0}`: {Coords: []float32{1, 2}, Integer: true},
		`{"keypoints":[[[1,2]],[[3,4],[5,6]],[]]}`: {Coords: []float32{1, 2, 3, 4, 5, 6},
			Index: []int64{0, 1, 1}, Integer: true},
		`[[], [[1, 2]]]`: {Coords: []float32{1, 2}, Index: []int64{1}, Integer: true},
		`[]`:             {Coords: []float32{}},
		`[{"category_id":1},{"category_id":1,"keypoints":[1,2,0,3,4,2]}]`: {Coords: []float32{1, 2, 3, 4},
			Visibility: []float32{0, 2}, Index: []int64{1, 1}, Integer: true},
		`{"annotations":[{"category_id":1,"keypoints":[1.5,2,0]},{"category_id":1,"keypoints":null}]}`: {
			Coords: []float32{1.5, 2}, Visibility: []float32{0}, Index: []int64{0}},
		string(array("<f4", "(2, 2)", []float32{1, 2, 3, 4})): {Coords: []float32{1, 2, 3, 4}},
		string(array("<i2", "(1, 3)", []int16{1, 2, 3})): {Coords: []float32{1, 2},
			Visibility: []float32{3}, Integer: true},
		string(array("<f4", "(2, 1, 2)", []float32{1, 2, 3, 4})): {Coords: []float32{1, 2, 3, 4}, Index: []int64{0, 1}},
		string(array("<f4", "(2, 0, 2)", []float32{})):           {Coords: []float32{}, Index: []int64{}},
	} {
		got, err := annotation.ParsePoints([]byte(text))
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

func TestParseCOCO(t *testing.T) {
	list, err := annotation.ParseCOCO([]byte(`[
		{"id": 5, "image_id": 2, "category_id": 7, "bbox": [1, 2, 3, 4], "area": 9.5, "iscrowd": 1,
		 "segmentation": {"size": [3, 2], "counts": [1, 2, 3]}},
		{"id": "a", "category_id": 8, "iscrowd": false, "bbox": null, "segmentation": [[0, 0, 1, 0.5, 1, 1]],
		 "keypoints": [1, 2, 0]},
		{"category_id": 9, "bbox": [], "segmentation": {"counts": "123", "size": [3, 2]}}]`))
	require.NoError(t, err)
	require.Len(t, list, 3)
	assert.Equal(t, int64(5), list[0].ID)
	assert.True(t, list[0].Crowd)
	assert.Equal(t, []float32{1, 2, 3, 4}, list[0].Box)
	assert.Equal(t, &annotation.RLE{Width: 2, Height: 3, Counts: []uint32{1, 2, 3}}, list[0].Segmentation.RLE)
	assert.Zero(t, list[1].ID)
	assert.False(t, list[1].Crowd)
	assert.Nil(t, list[1].Box)
	assert.Equal(t, [][]float64{{0, 0, 1, 0.5, 1, 1}}, list[1].Segmentation.Polygons)
	assert.Equal(t, []float32{1, 2, 0}, list[1].Keypoints)
	assert.Equal(t, &annotation.RLE{Width: 2, Height: 3, Counts: []uint32{1, 2, 3}}, list[2].Segmentation.RLE)
}

func TestParseErrors(t *testing.T) {
	boxes := func(data []byte) error {
		_, err := annotation.ParseBoxes(data, annotation.XYXY)
		return err
	}
	points := func(data []byte) error {
		_, err := annotation.ParsePoints(data)
		return err
	}
	coco := func(data []byte) error {
		_, err := annotation.ParseCOCO(data)
		return err
	}
	for _, c := range []struct {
		parse      func([]byte) error
		text, want string
	}{
		{boxes, ``, "no value, not an array, at byte 0"},
		{boxes, `[[1,2,3]]`, "[0]: fewer than 4 numbers, at byte 1"},
		{boxes, `[[1,2,3,4,5]]`, "[0][4]: more than 4 numbers, at byte 10"},
		{boxes, `[[1,2,3,"4"]]`, "[0][3]: a string, not a number, at byte 8"},
		{boxes, `[[1,2,3,1e39]]`, "[0][3]: a number beyond single precision, at byte 8"},
		{boxes, `[[1,2,3,4],{}]`, "[1]: an object, not an array, at byte 11"},
		{boxes, `[] []`, "bytes after the value, at byte 3"},
		{boxes, `{}`, `none of "boxes", "bboxes", "bbox" and "annotations", at byte 0`},
		{boxes, `{"boxes":[],"bboxes":[]}`, `bboxes: boxes, after those of "boxes", at byte 21`},
		{boxes, `{"labels":[],"labels":[]}`, "labels: labels, after others, at byte 22"},
		{boxes, `{"boxes":[],"labels":[1]}`, "1 labels of 0 boxes, at byte 21"},
		{boxes, `{"boxes":[],"labels":["cat"]}`, "labels[0]: a string, not a number, at byte 22"},
		{boxes, `[{"category_id":1}]`, "annotation 0 has no box"},
		{boxes, `{"annotations":[{"category_id":1}]}`, "annotation 0 has no box"},
		{boxes, `{"annotations":[{"category_id":"a"}]}`, "annotations[0].category_id: a string, not a number, at byte 31"},
		{boxes, string(array("<f4", "(4,)", make([]float32, 4))), "an array of shape [4], not [n 4]"},
		{boxes, string(array("<f4", "(1, 4)", []float32{0, 1, 2, float32(math.NaN())})),
			"element 3 is NaN, not a number of single precision"},
		{boxes, string(array("<f8", "(1, 4)", []float64{0, 1, 2, -1e300})),
			"element 3 is -1e+300, not a number of single precision"},
		{boxes, string(array("<f4", "(1, 4)", make([]float32, 5))), "4 bytes after the array"},

		{points, `[[1]]`, "[0]: fewer than 2 numbers, at byte 1"},
		{points, `[[1,2,3,4]]`, "[0][3]: more than 3 numbers, at byte 8"},
		{points, `[[1,2,3],[1,2]]`, "[1]: 2 numbers, after points of 3, at byte 9"},
		{points, `[[1,2],[[1,2]]]`, "[1]: points beside groups of points, at byte 7"},
		{points, `[[[1,2]],[1,2]]`, "[1]: points beside groups of points, at byte 9"},
		{points, `[[[1,2],[1]]]`, "[0][1]: fewer than 2 numbers, at byte 8"},
		{points, `[1,2]`, "[0]: a number, not an array, at byte 1"},
		{points, `{"points":[],"keypoints":[]}`, `keypoints: points, after those of "points", at byte 25`},
		{points, `{"a":1}`, `none of "points", "keypoints" and "annotations", at byte 0`},
		{points, string(array("<f4", "(4,)", make([]float32, 4))),
			"an array of shape [4], not [n 2], [n 3], [g n 2] or [g n 3]"},

		{coco, `{"a":[]}`, `no "annotations", at byte 0`},
		{coco, `{"annotations":[],"annotations":[]}`, "annotations: annotations, after others, at byte 32"},
		{coco, `[{}]`, `[0]: an annotation without "category_id", at byte 1`},
		{coco, `[{"bbox":[1]}]`, "[0].bbox: fewer than 4 numbers, at byte 9"},
		{coco, `[{"iscrowd":"no"}]`, "[0].iscrowd: a string, not false, at byte 12"},
		{coco, `[{"keypoints":[1,2]}]`, "[0].keypoints: 2 numbers, not three of each point, at byte 14"},
		{coco, `[{"segmentation":[[1,2,3,4,5]]}]`, "[0].segmentation[0]: a polygon of 5 numbers, at byte 18"},
		{coco, `[{"segmentation":[[1e9,2,3,4]]}]`,
			"[0].segmentation[0]: a polygon with a corner at 1e+09, beyond 268435456, at byte 18"},
		{coco, `[{"segmentation":{"size":[1,1]}}]`,
			`[0].segmentation: run lengths without "size" or "counts", at byte 17`},
		{coco, `[{"segmentation":{"size":[2,2],"counts":[5]}}]`,
			"[0].segmentation: run lengths of 5 pixels, in a mask of 2x2, at byte 17"},
		{coco, `[{"segmentation":{"counts":[-1]}}]`, "[0].segmentation.counts[0]: a run of -1 pixels, at byte 28"},
		{coco, `[{"segmentation":{"size":[1]}}]`, "[0].segmentation.size: a size of 1 numbers, at byte 25"},
		{coco, `[{"segmentation":{"size":[1,9999999]}}]`, "[0].segmentation.size[1]: a side of 9999999 pixels, at byte 28"},
		{coco, `[{"segmentation":{"counts":"P"}}]`,
			"[0].segmentation.counts: compressed run lengths that are invalid at character 1, at byte 27"},
		{coco, `[{"segmentation":{"counts":"1x"}}]`,
			"[0].segmentation.counts: compressed run lengths that are invalid at character 1, at byte 27"},
		{coco, `[{"segmentation":{"counts":"@"}}]`,
			"[0].segmentation.counts: compressed run lengths with a run of -16 pixels, at byte 27"},
	} {
		err := c.parse([]byte(c.text))
		require.EqualError(t, err, "read: corrupt: "+c.want, c.text)
		require.ErrorIs(t, err, spool.ErrCorrupt)
	}
	require.ErrorIs(t, boxes(array("<f4", "(9, 4)", []float32{1})), spool.ErrTruncated)
	require.ErrorIs(t, boxes(array("|b1", "(1, 4)", make([]bool, 4))), spool.ErrUnsupported)
	require.ErrorIs(t, boxes([]byte(strings.Repeat("[", 1e6))), spool.ErrCorrupt)
	for _, text := range []string{`[{"bbox":`, `[{"keypoints":[1`, `[{"segmentation":[`, `[{"segmentation":{"counts":[`} {
		for i := range text {
			require.ErrorIs(t, coco([]byte(text[:i+1])), spool.ErrCorrupt)
		}
	}
}
