package lerobot

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// place is the numbers of a file.
type place struct{ chunk, file int32 }

// episode is a row of meta/episodes.
type episode struct {
	number int
	from   int // its rows in the data set
	to     int
	data   place
	shots  []shot // of each camera
}

// shot is the part of a camera's file that has an episode.
type shot struct {
	place
	start float64 // seconds
}

func (e *episode) len() int { return e.to - e.from }

// episodesFolder has files with the rows of episodes.
const episodesFolder = "meta/episodes"

// readEpisodes reads all episodes, in order.
func (d *DataSet) readEpisodes(ctx context.Context) error {
	names, err := d.folder.tables(ctx, episodesFolder)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return d.folder.inFile(episodesFolder, failed(spool.ErrNotFound, "no Parquet files in its folders"))
	}
	for _, name := range names {
		rows, err := d.open(ctx, name)
		if err != nil {
			return err
		}
		for part := range rows.Sizes() {
			if err := d.readPart(ctx, rows, part); err != nil {
				return d.folder.inFile(name, err)
			}
		}
	}
	slices.SortFunc(d.episodes, func(a, b episode) int { return cmp.Compare(a.number, b.number) })
	return d.folder.inFile(episodesFolder, d.checkEpisodes())
}

// readPart adds the episodes of a row group.
func (d *DataSet) readPart(ctx context.Context, rows table.Numeric, part int) error {
	r := &episodeReader{ctx: ctx, rows: rows, part: part}
	number := r.integers("episode_index", "")
	from, to := r.integers("dataset_from_index", ""), r.integers("dataset_to_index", "")
	chunk, file := r.integers("data/chunk_index", ""), r.integers("data/file_index", "")
	n := rows.Sizes()[part]
	shots := make([]shot, n*len(d.cameras))
	for c, camera := range d.cameras {
		column := "videos/" + camera + "/"
		chunk, file := r.integers(column+"chunk_index", camera), r.integers(column+"file_index", camera)
		start := r.floats(column+"from_timestamp", camera)
		for i := 0; i < n && r.err == nil; i++ {
			at := &shots[i*len(d.cameras)+c]
			at.place, at.start = r.place(chunk[i], file[i]), start[i]
			if !(at.start >= 0) || math.IsInf(at.start, 1) {
				r.err = corrupt("episode %d: camera %s begins at %v", number[i], camera, at.start)
			}
		}
	}
	for i := 0; i < n && r.err == nil; i++ {
		d.episodes = append(d.episodes, episode{number: int(number[i]), from: int(from[i]), to: int(to[i]),
			data: r.place(chunk[i], file[i]), shots: shots[i*len(d.cameras) : (i+1)*len(d.cameras)]})
	}
	return r.err
}

// episodeReader reads columns of a row group of meta/episodes, until an error.
type episodeReader struct {
	ctx  context.Context
	rows table.Numeric
	part int
	err  error
}

// integers returns a column of integers. camera is the camera that it describes, or empty.
func (r *episodeReader) integers(column, camera string) []int64 {
	all := make([]int64, r.rows.Sizes()[r.part])
	for i, v := range r.floats(column, camera) {
		if all[i] = int64(v); float64(all[i]) != v && r.err == nil {
			r.err = corrupt("column %s: %v is no integer", column, v)
		}
	}
	return all
}

// floats returns a column of numbers.
func (r *episodeReader) floats(column, camera string) []float64 {
	all := make([]float64, r.rows.Sizes()[r.part])
	if r.err != nil {
		return all
	}
	numbers, err := r.rows.Numbers(r.ctx, r.part, column)
	if err == nil && numbers.Width != 1 && len(all) > 0 {
		err = corrupt("column %s has lists", column)
	}
	if err != nil {
		r.err = r.missing(column, camera, err)
		return all
	}
	for i := range all {
		all[i] = number(numbers, i)
	}
	return all
}

// missing returns the error of a column that cannot be read. It names the episode that lacks a value, if one does.
func (r *episodeReader) missing(column, camera string, err error) error {
	what := ""
	if camera != "" {
		what = "camera " + camera + ": "
	}
	if errors.Is(err, spool.ErrNotFound) {
		return corrupt("%sno column %s: the episodes have no place in its files", what, column)
	}
	first := 0
	for _, n := range r.rows.Sizes()[:r.part] {
		first += n
	}
	for i := range r.rows.Sizes()[r.part] {
		cell, failed := r.rows.Cell(r.ctx, first+i, column)
		if failed == nil && cell.Type == table.Absent {
			number, _ := r.rows.Cell(r.ctx, first+i, "episode_index")
			return corrupt("%sepisode %s has no %s", what, number.Data, column)
		}
	}
	return err
}

// place returns numbers of a file that are in range.
func (r *episodeReader) place(chunk, file int64) place {
	if chunk < 0 || chunk > math.MaxInt32 || file < 0 || file > math.MaxInt32 {
		r.err = corrupt("file %d of chunk %d", file, chunk)
	}
	return place{int32(chunk), int32(file)}
}

// number returns the one number of row k.
func number(n table.Numbers, k int) float64 {
	row := n.Row(k)
	switch n.DType {
	case spool.Float32:
		return float64(math.Float32frombits(binary.NativeEndian.Uint32(row)))
	case spool.Float64:
		return math.Float64frombits(binary.NativeEndian.Uint64(row))
	case spool.Int32:
		return float64(int32(binary.NativeEndian.Uint32(row)))
	case spool.Int64:
		return float64(int64(binary.NativeEndian.Uint64(row)))
	case spool.Uint8:
		return float64(row[0])
	}
	return math.NaN()
}

// checkEpisodes checks that episodes follow each other, and finds the rows of each data file.
func (d *DataSet) checkEpisodes() error {
	if len(d.episodes) != d.info.Episodes {
		return corrupt("%d episodes, and %s says %d", len(d.episodes), infoFile, d.info.Episodes)
	}
	d.files = map[place]span{}
	next := 0
	for i := range d.episodes {
		e := &d.episodes[i]
		if e.number != i || e.from != next || e.to < e.from {
			return corrupt("row %d has episode %d with the frames [%d, %d), after frame %d", i, e.number, e.from, e.to, next)
		}
		next = e.to
		rows, known := d.files[e.data]
		if !known {
			rows.from = e.from
		} else if rows.to != e.from {
			return corrupt("episode %d is in file %d of chunk %d, where another one ends at frame %d, and it begins at %d",
				i, e.data.file, e.data.chunk, rows.to, e.from)
		}
		rows.to = e.to
		d.files[e.data] = rows
	}
	return nil
}

// span is rows of the data set.
type span struct{ from, to int }
