package coco

import (
	"context"
	"fmt"
	"slices"

	"github.com/spoolmedia/spool"
)

// Image is an image of a data set.
type Image struct {
	ID            int64
	File          string // its file name, relative to the folder of images
	Width, Height int    // as the file says; 0 if it does not
}

// Category is a class of annotations.
type Category struct {
	ID   int64
	Name string
}

// DataSet is the index of a file.
type DataSet struct {
	object     spool.Object
	images     []Image
	categories []Category
	places     []place
	begin      []int // of each image, and of a last one: the position of its first annotation in places
	unused     int
}

// Open reads the index of a file. The object is lent: the data set reads annotations from it until the caller closes
// it. An object that has yet to be opened, such as a spool.File, is opened for each read; open it before.
//
// A file needs a list of images. Without a list of annotations, as for COCO's test images, no image has any.
func Open(ctx context.Context, object spool.Object) (*DataSet, error) {
	d, err := read(ctx, object)
	if err != nil {
		return nil, spool.InFile(err, object.Info().Name)
	}
	return d, nil
}

func read(ctx context.Context, object spool.Object) (*DataSet, error) {
	var x index
	if err := x.read(&stream{ctx: ctx, object: object}); err != nil {
		return nil, err
	}
	return newDataSet(object, &x)
}

func newDataSet(object spool.Object, x *index) (*DataSet, error) {
	if !x.lists[0] {
		return nil, failed(spool.ErrCorrupt, `no list "images"`)
	}
	position := make(map[int64]int32, len(x.images))
	for i, m := range x.images {
		if other, ok := position[m.ID]; ok {
			return nil, failed(spool.ErrCorrupt, "images[%d] has the id of images[%d], %d", i, other, m.ID)
		}
		position[m.ID] = int32(i)
	}
	d := &DataSet{object: object, images: x.images, categories: x.categories, begin: make([]int, len(x.images)+1)}
	for _, id := range x.owners {
		if i, ok := position[id]; ok {
			d.begin[i+1]++
		} else {
			d.unused++
		}
	}
	for i := range d.images {
		d.begin[i+1] += d.begin[i]
	}
	d.places = make([]place, len(x.places)-d.unused)
	next := slices.Clone(d.begin)
	for k, id := range x.owners {
		if i, ok := position[id]; ok {
			d.places[next[i]] = x.places[k]
			next[i]++
		}
	}
	return d, nil
}

// Len returns the number of images.
func (d *DataSet) Len() int { return len(d.images) }

// Image returns image i, in the file's order.
func (d *DataSet) Image(i int) Image { return d.images[i] }

// Categories returns the categories, in the file's order. Callers must not change the slice.
func (d *DataSet) Categories() []Category { return d.categories }

// Unused returns the number of annotations whose image the file does not list.
func (d *DataSet) Unused() int { return d.unused }

// near is a distance in the file within which two annotations are read at once.
const near = 4 << 10

// Annotations returns the annotations of image i, in the file's order: a JSON list with the bytes of the file.
func (d *DataSet) Annotations(ctx context.Context, i int) ([]byte, error) {
	places := d.places[d.begin[i]:d.begin[i+1]]
	size := 2
	for _, p := range places {
		size += int(p.size) + 1
	}
	list := append(make([]byte, 0, size), '[')
	var buf []byte
	for len(places) > 0 {
		n, first := 1, places[0].offset
		end := first + int64(places[0].size)
		for n < len(places) && places[n].offset-end < near {
			end = places[n].offset + int64(places[n].size)
			n++
		}
		buf = slices.Grow(buf[:0], int(end-first))[:end-first]
		if m, err := spool.ReadRange(ctx, d.object, buf, first); m < len(buf) {
			return nil, spool.InFile(fmt.Errorf("annotations of image %d: %w", i, err), d.object.Info().Name)
		}
		for _, p := range places[:n] {
			if len(list) > 1 {
				list = append(list, ',')
			}
			list = append(list, buf[p.offset-first:][:p.size]...)
		}
		places = places[n:]
	}
	return append(list, ']'), nil
}
