package lerobot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/nearest"
	"github.com/spoolmedia/spool/source"
)

// Records are the samples of a data set with some of their inputs: a source.RecordSource.
type Records struct {
	*DataSet
	inputs []opener
}

// opener opens an input of a row.
type opener func(ctx context.Context, r row) (spool.Object, error)

// Records returns the samples with the given inputs. The first of an input's alternatives that exists is taken. An
// error is ErrNotFound, and names all inputs.
func (d *DataSet) Records(inputs []source.Input) (*Records, error) {
	r := &Records{DataSet: d}
	there := d.openers()
	for _, in := range inputs {
		names := strings.Split(in.Name, ";")
		at := slices.IndexFunc(names, func(name string) bool { return there[strings.TrimSpace(name)] != nil })
		if at < 0 {
			return nil, d.folder.inFile(infoFile, d.lacking(in.Name, names, there))
		}
		r.inputs = append(r.inputs, there[strings.TrimSpace(names[at])])
	}
	return r, nil
}

// lacking returns the error of an input that no sample has.
func (d *DataSet) lacking(name string, names []string, there map[string]opener) error {
	var all []string
	for other := range there {
		all = append(all, other)
	}
	slices.Sort(all)
	meant := ""
	for _, name := range names {
		if near := nearest.Word(name, all); near != "" && meant == "" {
			meant = "; did you mean " + near + "?"
		}
	}
	return failed(spool.ErrNotFound, "no input is called %s; there are %s%s", name, strings.Join(all, ", "), meant)
}

// Item describes a sample by its row. The key is its episode and frame.
func (r *Records) Item(i int) source.Item {
	at := r.row(i)
	name, _ := expand(r.info.dataPath, "", at.data) // Open has checked it
	return source.Item{ID: int64(i), Name: fmt.Sprintf("%s:%d", r.folder.name(name), r.at(at.episode, at.frame)+1),
		Label: -1, Key: fmt.Sprintf("episode-%06d/frame-%06d", at.number, at.frame)}
}

// Open opens input 0 of a sample.
func (r *Records) Open(ctx context.Context, i int) (spool.Object, error) {
	return r.OpenInput(ctx, i, 0)
}

// OpenInput opens input k of a sample. With input 0, it checks that the row is that of the sample.
func (r *Records) OpenInput(ctx context.Context, i, k int) (spool.Object, error) {
	at := r.row(i)
	if k == 0 {
		if err := r.check(ctx, at); err != nil {
			return nil, err
		}
	}
	return r.inputs[k](ctx, at)
}

// Classes returns nil: samples have no labels.
func (r *Records) Classes() []string { return nil }

// Remote reports whether the data set is in a store.
func (r *Records) Remote() bool { return r.folder.remote != nil }

// Notices returns a line about the features that are no inputs.
func (r *Records) Notices() []string {
	var names []string
	for _, f := range r.info.Features {
		if f.Kind == Other {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{r.folder.name(infoFile) + ": features that are not loaded: " + strings.Join(names, ", ")}
}
