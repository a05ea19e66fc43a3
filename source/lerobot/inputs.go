package lerobot

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/npy"
	"github.com/spoolmedia/spool/source/table"
)

// openers returns all inputs by their names.
func (d *DataSet) openers() map[string]opener {
	all := map[string]opener{"frame_time": func(_ context.Context, r row) (spool.Object, error) {
		return d.decimal(r, "frame_time", d.time(r)), nil
	}}
	for _, w := range d.words {
		all[w.input] = func(ctx context.Context, r row) (spool.Object, error) { return d.wordsOf(ctx, w, r) }
	}
	camera := 0
	for _, f := range d.info.Features {
		switch f.Kind {
		case Numbers:
			all[f.Name] = func(ctx context.Context, r row) (spool.Object, error) { return d.array(ctx, f, r) }
		case Text, Language:
			all[f.Name] = func(ctx context.Context, r row) (spool.Object, error) { return d.text(ctx, f, r) }
		case Image:
			d.images(f, all)
		case Video:
			d.camera(f.Name, camera, all)
			camera++
		}
		if _, windowed := d.offsets[f.Name]; windowed {
			name := f.Name + "_is_pad"
			all[name] = func(_ context.Context, r row) (spool.Object, error) {
				pads := d.padded(f.Name, r)
				a := npy.Array{Type: npy.Type{Kind: npy.Uint, Size: 1}, Shape: []int{len(pads)}, Data: pads}
				return d.memory(r, name, a.Append(nil)), nil
			}
		}
	}
	return all
}

// memory is an input in memory.
func (d *DataSet) memory(r row, name string, data []byte) spool.Object {
	file, _ := expand(d.info.dataPath, "", r.data) // Open has checked it
	return spool.Bytes{Data: data, Name: fmt.Sprintf("%s:%d/%s", d.folder.name(file), d.at(r.episode, r.frame)+1, name)}
}

// decimal is an input that is one number, as text.
func (d *DataSet) decimal(r row, name string, v float64) spool.Object {
	return d.memory(r, name, strconv.AppendFloat(nil, v, 'g', -1, 64))
}

// camera adds the inputs of a camera.
func (d *DataSet) camera(name string, c int, all map[string]opener) {
	all[name] = func(ctx context.Context, r row) (spool.Object, error) {
		file, err := expand(d.info.videoPath, name, r.shots[c].place)
		if err != nil {
			return nil, err
		}
		return d.folder.open(ctx, file)
	}
	start, end := name+".start", name+".end"
	all[start] = func(_ context.Context, r row) (spool.Object, error) {
		return d.decimal(r, start, r.shots[c].start), nil
	}
	all[end] = func(_ context.Context, r row) (spool.Object, error) {
		return d.decimal(r, end, r.shots[c].start+float64(r.len())/d.info.FPS), nil
	}
}

// images adds the input of a feature of images, or those of its window.
func (d *DataSet) images(f Feature, all map[string]opener) {
	offsets, windowed := d.offsets[f.Name]
	if !windowed {
		all[f.Name] = func(ctx context.Context, r row) (spool.Object, error) { return d.image(ctx, f.Name, r, r.frame) }
	}
	for i := range offsets {
		all[f.Name+"."+strconv.Itoa(i)] = func(ctx context.Context, r row) (spool.Object, error) {
			return d.image(ctx, f.Name, r, d.frames(f.Name, r)[i])
		}
	}
}

// image opens the image of a frame: the bytes in the data file, or the file that it names.
func (d *DataSet) image(ctx context.Context, name string, r row, frame int) (spool.Object, error) {
	cell, err := d.cell(ctx, name, r.episode, frame)
	switch {
	case err != nil:
		return nil, err
	case cell.Type == table.Bytes:
		return d.memory(row{r.episode, frame}, name, cell.Data), nil
	case cell.Path == "":
		return nil, spool.InFile(corrupt("column %s holds %v, where an image is needed", name, cell.Type),
			d.memory(r, name, nil).Info().Name)
	}
	return d.folder.open(ctx, cell.Path)
}

// text opens a text of a row, or its JSON.
func (d *DataSet) text(ctx context.Context, f Feature, r row) (spool.Object, error) {
	cell, err := d.cell(ctx, f.Name, r.episode, r.frame)
	if f.Kind == Language && spool.ClassOf(err) == spool.ErrNotFound {
		cell, err = table.Cell{Data: []byte("null")}, nil
	}
	if err != nil {
		return nil, err
	}
	return d.memory(r, f.Name, cell.Data), nil
}

// types are the types of arrays in NPY files.
var types = map[spool.DType]npy.Type{spool.Uint8: {Kind: npy.Uint, Size: 1}, spool.Int32: {Kind: npy.Int, Size: 4},
	spool.Int64: {Kind: npy.Int, Size: 8}, spool.Float16: {Kind: npy.Float, Size: 2},
	spool.Float32: {Kind: npy.Float, Size: 4}, spool.Float64: {Kind: npy.Float, Size: 8}}

// array opens the numbers of a row, or those of its window.
func (d *DataSet) array(ctx context.Context, f Feature, r row) (spool.Object, error) {
	n, err := d.numbers(ctx, f.Name, r.episode, d.frames(f.Name, r)...)
	if err != nil {
		return nil, err
	}
	offsets, windowed := d.offsets[f.Name]
	if n.Width != f.width() {
		return nil, spool.InFile(corrupt("column %s has %d numbers in a row, and %s says %v", f.Name, n.Width, infoFile,
			f.Shape), d.memory(r, f.Name, nil).Info().Name)
	}
	if v := number(n, 0); !windowed && f.Shape == nil && !math.IsNaN(v) && !math.IsInf(v, 0) && n.DType != spool.Int64 {
		return d.decimal(r, f.Name, v), nil
	}
	a := npy.Array{Type: types[n.DType], Shape: f.Shape, Data: n.Data}
	if windowed {
		a.Shape = append([]int{len(offsets)}, f.Shape...)
	}
	return d.memory(r, f.Name, a.Append(nil)), nil
}
