package coco

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// TableOptions say how a file becomes a table. The zero value looks for the images, and has no masks.
type TableOptions struct {
	// Images is the folder or the URL below which the images are. Empty means a folder near the file: see Table.
	Images string
	// Mask makes the column mask of annotations, as a list of JSON: the bytes of an image of that size. nil: no column.
	Mask func(annotations []byte, width, height int) ([]byte, error)
}

// Table returns a format of tables whose rows are the images of a file. Columns are:
//
//   - path: the image's file; id, width and height, of the file's list of images
//   - annotations: the list of the image's annotations, as JSON. boxes, keypoints and instances are the same list, in
//     which boxes, points and masks of records find theirs.
//   - categories: the names of the annotations' categories; count: the number of annotations
//   - mask, if TableOptions.Mask makes one
//
// Without TableOptions.Images, images of a local file are looked for by the name of the first: next to the file, then
// in images and in the folder that the file is named after (val2017 of instances_val2017.json), both here and one
// folder up, and last of all one folder up itself.
func Table(o TableOptions) table.Format {
	return func(ctx context.Context, open func(context.Context) (spool.Object, error), _ table.Columns,
		_ *table.Cache) (table.Rows, error) {
		file, err := open(ctx)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		set, err := read(ctx, file)
		if err != nil {
			return nil, err
		}
		r := &rows{DataSet: set, options: o, open: open, size: file.Info().Size, names: map[int64]string{}}
		for _, c := range set.Categories() {
			r.names[c.ID] = c.Name
		}
		if r.options.Images == "" && len(set.images) > 0 {
			r.options.Images = folder(file.Info(), set.images[0].File)
		}
		set.object = nil
		return r, nil
	}
}

// folder returns the folder that has the images of a file.
func folder(file spool.ObjectInfo, first string) string {
	if file.Path == "" {
		return ""
	}
	beside := path.Dir(file.Path)
	stem := strings.TrimSuffix(path.Base(file.Path), path.Ext(file.Path))
	split := stem[strings.LastIndexByte(stem, '_')+1:]
	for _, folder := range []string{".", "images", split, "images/" + split, "../images", "../" + split,
		"../images/" + split, ".."} {
		folder = path.Join(beside, folder)
		if _, err := os.Stat(path.Join(folder, first)); err == nil {
			return folder
		}
	}
	return beside
}

// rows implements table.Cells.
type rows struct {
	*DataSet
	options TableOptions
	open    func(context.Context) (spool.Object, error)
	size    int64 // of the file
	names   map[int64]string
}

// path returns the path or URL of an image.
func (r *rows) path(k int) string {
	name := r.images[k].File
	switch {
	case path.IsAbs(name) || strings.Contains(name, "://") || r.options.Images == "" || r.options.Images == ".":
		return name
	}
	return strings.TrimRight(r.options.Images, "/") + "/" + name
}

// Row returns an image. Its key is its id.
func (r *rows) Row(k int) (table.Row, error) {
	return table.Row{Path: r.path(k), Key: strconv.FormatInt(r.images[k].ID, 10)}, nil
}

// Labels yields nothing for each image: images have no labels.
func (r *rows) Labels() iter.Seq[string] {
	return func(yield func(string) bool) {
		for range r.Len() {
			if !yield("") {
				return
			}
		}
	}
}

// Columns describes the columns.
func (r *rows) Columns() []table.Column {
	columns := []table.Column{{Name: "path", Type: table.Text, Format: "u"},
		{Name: "id", Type: table.Number, Format: "l"},
		{Name: "width", Type: table.Number, Format: "l"}, {Name: "height", Type: table.Number, Format: "l"},
		{Name: "count", Type: table.Number, Format: "l"}, {Name: "annotations", Type: table.JSON, Format: "u"},
		{Name: "boxes", Type: table.JSON, Format: "u"}, {Name: "keypoints", Type: table.JSON, Format: "u"},
		{Name: "instances", Type: table.JSON, Format: "u"},
		{Name: "categories", Type: table.JSON, Format: "+l", Element: "u"}}
	if r.options.Mask != nil {
		columns = append(columns, table.Column{Name: "mask", Type: table.Bytes, Format: "z"})
	}
	return columns
}

// Cell returns the value of a column for image k.
func (r *rows) Cell(ctx context.Context, k int, column string) (table.Cell, error) {
	m := r.images[k]
	number := func(n int64) (table.Cell, error) {
		return table.Cell{Type: table.Number, Data: strconv.AppendInt(nil, n, 10)}, nil
	}
	switch column = strings.ToLower(column); column {
	case "path":
		return table.Cell{Type: table.Text, Data: []byte(r.path(k))}, nil
	case "id":
		return number(m.ID)
	case "count":
		return number(int64(r.begin[k+1] - r.begin[k]))
	case "width", "height":
		n := map[string]int{"width": m.Width, "height": m.Height}[column]
		if n == 0 {
			return table.Cell{}, nil
		}
		return number(int64(n))
	case "annotations", "boxes", "keypoints", "instances", "categories", "mask":
		list, err := r.annotations(ctx, k)
		switch {
		case err != nil:
			return table.Cell{}, err
		case column == "categories":
			return r.categoriesOf(list)
		case column == "mask":
			return r.mask(list, m)
		}
		return table.Cell{Type: table.JSON, Data: list}, nil
	}
	return table.Cell{}, nil
}

// annotations reads the annotations of image k.
func (r *rows) annotations(ctx context.Context, k int) ([]byte, error) {
	file, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if size := file.Info().Size; size != r.size {
		return nil, failed(spool.ErrIO, "the file was changed: %d bytes when it was listed, now %d", r.size, size)
	}
	set := *r.DataSet
	set.object = file
	return set.Annotations(ctx, k)
}

// categoriesOf returns the names of the categories of annotations; null for a category that the file does not have.
func (r *rows) categoriesOf(list []byte) (table.Cell, error) {
	var annotations []struct {
		Category int64 `json:"category_id"`
	}
	if err := json.Unmarshal(list, &annotations); err != nil {
		return table.Cell{}, failed(spool.ErrCorrupt, "%v", err)
	}
	names := make([]*string, len(annotations))
	for i, a := range annotations {
		if name, ok := r.names[a.Category]; ok {
			names[i] = &name
		}
	}
	data, err := json.Marshal(names)
	return table.Cell{Type: table.JSON, Data: data}, err
}

// mask makes the mask of an image.
func (r *rows) mask(list []byte, m Image) (table.Cell, error) {
	if r.options.Mask == nil {
		return table.Cell{}, nil
	}
	if m.Width < 1 || m.Height < 1 {
		return table.Cell{}, failed(spool.ErrCorrupt, "image %d has no width and height, which a mask needs", m.ID)
	}
	data, err := r.options.Mask(list, m.Width, m.Height)
	if err != nil {
		return table.Cell{}, fmt.Errorf("image %d: %w", m.ID, err)
	}
	return table.Cell{Type: table.Bytes, Data: data}, nil
}
