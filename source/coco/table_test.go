package coco_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/record/annotation"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/coco"
	"github.com/spoolmedia/spool/source/table"
)

// object is an object of the file.
type object = map[string]any

// write writes a file of annotations with n images, in random order, and returns what it has of each.
func write(t *testing.T, name string, n int) (images []object, of map[int][]object) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	of = map[int][]object{}
	var annotations []object
	for i := range n {
		images = append(images, object{"id": 100 + i, "file_name": fmt.Sprintf("%012d.jpg", i), "width": 20 + i,
			"height": 16})
	}
	for i := range 4 * n {
		image := 100 + r.IntN(n)
		x, y := float64(r.IntN(10)), float64(r.IntN(8))
		a := object{"id": i, "image_id": image, "category_id": 1 + r.IntN(2)*17, "bbox": []any{x, y, 5.5, 4.0},
			"iscrowd": 0, "area": 22.0, "segmentation": []any{[]any{x, y, x + 5, y, x + 5, y + 4, x, y + 4}}}
		annotations = append(annotations, a)
		of[image] = append(of[image], a)
	}
	data, err := json.Marshal(object{"info": object{}, "images": images, "annotations": annotations,
		"categories": []object{{"id": 1, "name": "person"}, {"id": 18, "name": "dog"}}})
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(t, os.WriteFile(name, data, 0o600))
	return images, of
}

func options(images string) source.Options {
	return source.Options{Formats: map[string]table.Format{
		".json": coco.Table(coco.TableOptions{Images: images, Mask: annotation.MaskPNG})}}
}

// TestTable: each image is a record with its annotations, compared with encoding/json.
func TestTable(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "annotations", "instances_val2017.json")
	images, of := write(t, file, 40)
	folder := filepath.Join(root, "val2017")
	require.NoError(t, os.Mkdir(folder, 0o700))
	for _, m := range images {
		name := m["file_name"].(string)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(name), 0o600))
	}
	inputs := []source.Input{{Name: "path"}, {Name: "boxes", Value: true}, {Name: "keypoints", Value: true},
		{Name: "id", Value: true}, {Name: "Width", Value: true}, {Name: "height", Value: true},
		{Name: "categories", Value: true}, {Name: "count", Value: true}, {Name: "mask"}}
	r, err := source.OpenRecords(t.Context(), []string{file}, inputs, options(""))
	require.NoError(t, err)
	require.Equal(t, len(images), r.Len())
	for i, m := range images {
		name := m["file_name"].(string)
		id := m["id"].(int)
		assert.Equal(t, source.Item{ID: int64(i), Name: filepath.Join(folder, name), Label: -1, Key: strconv.Itoa(id)},
			r.Item(i))
		input := func(k int) string {
			o, err := r.OpenInput(t.Context(), i, k)
			require.NoError(t, err)
			defer o.Close()
			data, err := spool.ReadAll(t.Context(), o, nil, 1<<20)
			require.NoError(t, err)
			return string(data)
		}
		want, err := json.Marshal(append([]object{}, of[id]...))
		require.NoError(t, err)
		names := []string{}
		for _, a := range of[id] {
			names = append(names, map[int]string{1: "person", 18: "dog"}[a["category_id"].(int)])
		}
		words, err := json.Marshal(names)
		require.NoError(t, err)
		assert.Equal(t, name, input(0))
		assert.JSONEq(t, string(want), input(1))
		assert.JSONEq(t, string(want), input(2))
		assert.Equal(t, strconv.Itoa(id), input(3))
		assert.Equal(t, strconv.Itoa(20+i), input(4))
		assert.Equal(t, "16", input(5))
		assert.JSONEq(t, string(words), input(6))
		assert.Equal(t, strconv.Itoa(len(of[id])), input(7))
		mask, err := annotation.MaskPNG(want, 20+i, 16)
		require.NoError(t, err)
		assert.Equal(t, string(mask), input(8))
	}
	where := options(folder)
	where.Where = "'dog' in categories and count > 1 and width < 40"
	chosen, err := source.Open(t.Context(), []string{file}, where)
	require.NoError(t, err)
	n := 0
	for i, m := range images {
		dogs := 0
		for _, a := range of[m["id"].(int)] {
			if a["category_id"] == 18 {
				dogs++
			}
		}
		if dogs > 0 && len(of[m["id"].(int)]) > 1 && 20+i < 40 {
			assert.Equal(t, filepath.Join(folder, m["file_name"].(string)), chosen.Item(n).Name)
			n++
		}
	}
	assert.Equal(t, n, chosen.Len())
	assert.Positive(t, n)
}

// TestImages: where images are looked for.
func TestImages(t *testing.T) {
	for _, folder := range []string{"annotations", "annotations/images", "annotations/train", "images", "train",
		"images/train", "."} {
		root := t.TempDir()
		file := filepath.Join(root, "annotations", "x_train.json")
		write(t, file, 2)
		require.NoError(t, os.MkdirAll(filepath.Join(root, folder), 0o700))
		first := filepath.Join(root, folder, "000000000000.jpg")
		require.NoError(t, os.WriteFile(first, nil, 0o600))
		l, err := source.Open(t.Context(), []string{file}, options(""))
		require.NoError(t, err)
		assert.Equal(t, first, l.Item(0).Name)
	}
	root := t.TempDir()
	file := filepath.Join(root, "x.json")
	write(t, file, 1)
	l, err := source.Open(t.Context(), []string{file}, options("/data/photos/"))
	require.NoError(t, err)
	assert.Equal(t, "/data/photos/000000000000.jpg", l.Item(0).Name)
	l, err = source.Open(t.Context(), []string{file}, options(""))
	require.NoError(t, err)
	_, err = l.Open(t.Context(), 0)
	require.ErrorIs(t, err, spool.ErrNotFound)
}

func TestTableErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"a": 1}`), 0o600))
	_, err := source.Open(t.Context(), []string{file}, options(""))
	require.EqualError(t, err, "read "+file+`: corrupt: no list "images"`)

	text := []byte(`{"images": [{"id": 1, "file_name": "a.jpg"}], "annotations": [{"image_id": 1, "category_id": 2}]}`)
	rows, err := coco.Table(coco.TableOptions{Mask: annotation.MaskPNG})(t.Context(),
		func(context.Context) (spool.Object, error) { return spool.Bytes{Data: text}, nil }, table.Columns{}, nil)
	require.NoError(t, err)
	cells := rows.(table.Cells)
	_, err = cells.Cell(t.Context(), 0, "mask")
	require.ErrorContains(t, err, "no width and height")
	for _, column := range []string{"width", "nothing"} {
		cell, err := cells.Cell(t.Context(), 0, column)
		require.NoError(t, err)
		assert.Equal(t, table.Cell{}, cell)
	}
	cell, err := cells.Cell(t.Context(), 0, "categories")
	require.NoError(t, err)
	assert.Equal(t, "[null]", string(cell.Data))
	text = append(text, ' ')
	_, err = cells.Cell(t.Context(), 0, "boxes")
	require.ErrorContains(t, err, "the file was changed")
}
