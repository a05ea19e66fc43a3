package lerobot

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/parquet"
	"github.com/spoolmedia/spool/source/table"
)

// words are texts that rows name by a number.
type words struct {
	input   string
	feature string // has the number
	file    string
	sparse  bool // the file may be missing, and so may the words of a row
	texts   map[int64]string
}

var (
	tasks    = words{input: "task", feature: "task_index", file: "meta/tasks.parquet"}
	subtasks = words{input: "subtask", feature: "subtask_index", file: "meta/subtasks.parquet", sparse: true}
)

// readWords reads the texts of a file. pandas names its index in one of two ways.
func (d *DataSet) readWords(ctx context.Context, w words) error {
	if w.sparse && !d.has(w.feature) {
		return nil
	}
	open := func(ctx context.Context) (spool.Object, error) { return d.folder.open(ctx, w.file) }
	rows, err := parquet.Open(ctx, open, table.Columns{Path: []string{w.input, "__index_level_0__"},
		Label: []string{w.feature}}, d.cache)
	if errors.Is(err, spool.ErrNotFound) && (w.sparse || !d.has(w.feature)) {
		return nil
	}
	if err != nil {
		return d.folder.inFile(w.file, err)
	}
	w.texts = map[int64]string{}
	for k := range rows.Len() {
		row, err := rows.Row(k)
		if err != nil {
			return d.folder.inFile(w.file, err)
		}
		number, err := strconv.ParseInt(row.Label, 10, 64)
		if err != nil {
			return d.folder.inFile(w.file, corrupt("row %d has no %s", k, w.feature))
		}
		w.texts[number] = row.Path
	}
	if len(w.texts) > 0 && d.has(w.feature) {
		d.words = append(d.words, w)
	}
	return nil
}

// hasWords reports whether samples have an input of words.
func (d *DataSet) hasWords(input string) bool {
	return slices.ContainsFunc(d.words, func(w words) bool { return w.input == input })
}

// HasTask reports whether samples have the input task.
func (d *DataSet) HasTask() bool { return d.hasWords(tasks.input) }

// HasSubtask reports whether samples have the input subtask, which those with an unknown number lack.
func (d *DataSet) HasSubtask() bool { return d.hasWords(subtasks.input) }

// wordsOf opens the words of a row.
func (d *DataSet) wordsOf(ctx context.Context, w words, r row) (spool.Object, error) {
	n, err := d.numbers(ctx, w.feature, r.episode, r.frame)
	if err != nil {
		return nil, err
	}
	text, ok := w.texts[int64(number(n, 0))]
	switch {
	case ok:
		return d.memory(r, w.input, []byte(text)), nil
	case w.sparse:
		return nil, nil
	}
	return nil, spool.InFile(corrupt("no %s %v", w.input, number(n, 0)), d.folder.name(w.file))
}
