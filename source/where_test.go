package source_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

const whereCSV = "path,width,lang,label\na.jpg,300,en,cat\nb.jpg,200,en,dog\nc.jpg,,de,ant\nd.jpg,400,,cat\n" +
	",500,en,dog\n"

// written writes files to a new folder.
func written(t testing.TB, files map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return folder
}

// TestWhere: the selected rows are the samples, in order, and keep their labels and names.
func TestWhere(t *testing.T) {
	folder := written(t, map[string]string{"t.csv": whereCSV, "u.jsonl": `{"path":"u.jpg","width":1}` + "\n" +
		`{"path":"v.jpg","width":1000}` + "\n", "d.jpg": "bytes of d", "a.jpg": "", "u.jpg": ""})
	table := filepath.Join(folder, "t.csv")
	open := func(o source.Options) *source.Listing {
		l, err := source.Open(t.Context(), []string{table, filepath.Join(folder, "u.jsonl")}, o)
		require.NoError(t, err)
		return l
	}
	l := open(source.Options{Where: "width >= 300"})
	require.Equal(t, 4, l.Len())
	assert.Equal(t, []string{table + ": columns that are not used: lang"}, l.Notices(), "width is used")
	assert.Equal(t, []string{"ant", "cat", "dog"}, l.Classes(), "labels are those of the whole table")
	d := filepath.Join(folder, "d.jpg")
	assert.Equal(t, source.Item{ID: 1, Name: d, Label: 1}, l.Item(1))
	assert.Equal(t, source.Item{ID: 2, Name: table + ":5", Label: -1}, l.Item(2), "a bad row keeps its number")
	assert.Equal(t, source.Item{ID: 3, Name: filepath.Join(folder, "v.jpg"), Label: -1}, l.Item(3))
	assert.Equal(t, []int{3, 1}, l.Counts())
	assert.Equal(t, 3, l.Skipped().Rows)
	assert.Empty(t, l.Skipped().String())
	o, err := l.Open(t.Context(), 1)
	require.NoError(t, err)
	data, err := spool.ReadAll(t.Context(), o, nil, 0)
	require.NoError(t, err)
	assert.Equal(t, "bytes of d", string(data))
	require.NoError(t, o.Close())
	_, err = l.Open(t.Context(), 2)
	require.ErrorContains(t, err, "row 5 of the manifest")

	same := open(source.Options{Where: "not (width < 300)",
		WhereRow: func(source.Row) (bool, error) { return true, nil }})
	assert.Equal(t, l.Selection(), same.Selection(), "the rows count, not the text")
	assert.NotEqual(t, l.Selection(), open(source.Options{Where: "width >= 400"}).Selection())
	assert.Len(t, l.Selection(), 32)
	whole := open(source.Options{Where: "true"})
	assert.Empty(t, whole.Selection())
	assert.Equal(t, open(source.Options{}).Len(), whole.Len())

	s, err := source.OpenStream(t.Context(), []string{table}, source.Options{Where: "lang == 'de'"})
	require.NoError(t, err)
	assert.Equal(t, 4, s.Skipped().Rows)
	for item, err := range s.Samples(t.Context(), 0) {
		require.NoError(t, err)
		assert.Equal(t, source.Item{Name: filepath.Join(folder, "c.jpg"), Label: -1}, item)
	}
}

func TestWhereRow(t *testing.T) {
	folder := written(t, map[string]string{"t.jsonl": `{"path":"a","n":1,"m":{"x":[true,null,1.5]}}` + "\n" +
		`{"path":"b","n":2.5}` + "\n" + `{"path":"c"}` + "\n", "a": ""})
	args := []string{filepath.Join(folder, "t.jsonl")}
	var seen []any
	l, err := source.Open(t.Context(), args, source.Options{Where: "n != nil", WhereRow: func(r source.Row) (bool, error) {
		n, err := r.Value("N")
		require.NoError(t, err)
		x, err := r.Value("m.x")
		require.NoError(t, err)
		seen = append(seen, n, x)
		return n == 2.5, nil
	}})
	require.NoError(t, err)
	assert.Equal(t, []any{1, []any{true, nil, 1.5}, 2.5, nil}, seen)
	require.Equal(t, 1, l.Len())
	assert.Equal(t, filepath.Join(folder, "b"), l.Item(0).Name)

	_, err = source.Open(t.Context(), args, source.Options{
		WhereRow: func(source.Row) (bool, error) { return false, errors.New("not today") }})
	require.ErrorContains(t, err, "row 1: not today")
	ctx, cancel := context.WithCancel(t.Context())
	_, err = source.Open(ctx, args, source.Options{
		WhereRow: func(source.Row) (bool, error) { cancel(); return true, nil }})
	require.ErrorIs(t, err, spool.ErrCanceled)
}

// TestWhereOfRecords: inputs are those of the selected rows.
func TestWhereOfRecords(t *testing.T) {
	folder := written(t, map[string]string{"t.csv": whereCSV})
	r, err := source.OpenRecords(t.Context(), []string{filepath.Join(folder, "t.csv")},
		[]source.Input{{Name: "width", Value: true}, {Name: "lang", Value: true, Optional: true}},
		source.Options{Where: "width > 250"})
	require.NoError(t, err)
	require.Equal(t, 3, r.Len())
	o, err := r.OpenInput(t.Context(), 1, 0)
	require.NoError(t, err)
	data, err := spool.ReadAll(t.Context(), o, nil, 0)
	require.NoError(t, err)
	assert.Equal(t, "400", string(data))
	o, err = r.OpenInput(t.Context(), 1, 1)
	require.NoError(t, err)
	assert.Nil(t, o)
	assert.Equal(t, 2, r.Skipped().Rows)
	assert.NotEmpty(t, r.Selection())
	assert.Equal(t, int64(1), r.Item(1).Label)
}

// TestWhereOfTimes: a filter may name the times of segments. That it names others does not mean that they are used.
func TestWhereOfTimes(t *testing.T) {
	table := filepath.Join(written(t,
		map[string]string{"t.csv": "path,start,end,stop_s\na.mp4,0,1,9\nb.mp4,2,5,9\n"}), "t.csv")
	o := source.Options{Medium: source.Videos, Where: "end - start > 2 and stop_s == 9"}
	_, err := source.Open(t.Context(), []string{table}, o)
	require.ErrorContains(t, err, "the table gives times in stop_s")
	o.Ignore = []string{"stop_s"}
	l, err := source.Open(t.Context(), []string{table}, o)
	require.NoError(t, err)
	part, err := l.Segment(t.Context(), 0)
	require.NoError(t, err)
	assert.Equal(t, &source.Segment{Start: 2, End: 5}, part)
	o.Ignore = []string{"start", "end", "stop_s"}
	l, err = source.Open(t.Context(), []string{table}, o)
	require.NoError(t, err)
	part, err = l.Segment(t.Context(), 0)
	require.NoError(t, err)
	assert.Nil(t, part)
	assert.Equal(t, 1, l.Len())
	assert.Empty(t, l.Notices())
}

func TestWrongWhere(t *testing.T) {
	folder := written(t, map[string]string{"t.csv": whereCSV, "images/a.jpg": "a", "list": "a\n"})
	table := filepath.Join(folder, "t.csv")
	for _, c := range []struct {
		where, arg, want string
		class            error
	}{
		{"width >", table, "Where width >: unexpected token EOF at character 7", spool.ErrOptions},
		{"widht > 3", table, "Where widht > 3: " + table + ": no column is called widht; there are path, width, lang, " +
			"label; did you mean width?", spool.ErrOptions},
		{"width", table, "must be true or false, but is int", spool.ErrOptions},
		{"[1][width] == 1", table, "row 1: [1][width] == 1: index out of range", spool.ErrOptions},
		{"width > 1000", table, "none of the 5 rows is selected", spool.ErrEmpty},
		{"width > 3", filepath.Join(folder, "images"), "this is no table", spool.ErrUnsupported},
		{"width > 3", filepath.Join(folder, "images/*.jpg"), "this is no table", spool.ErrUnsupported},
		{"width > 3", "@" + filepath.Join(folder, "list"), "this is no table", spool.ErrUnsupported},
		{"width > 3", "shard/testdata/webdataset.tar", "this is no table", spool.ErrUnsupported},
	} {
		for _, records := range []bool{false, true} {
			o := source.Options{Where: c.where}
			_, err := source.Open(t.Context(), []string{c.arg}, o)
			if _, streamed := source.OpenStream(t.Context(), []string{c.arg}, o); c.class != nil {
				require.ErrorIs(t, streamed, c.class, "%s %s", c.where, c.arg)
			}
			if records {
				_, err = source.OpenRecords(t.Context(), []string{c.arg}, []source.Input{{Name: "path"}}, o)
			}
			require.ErrorIs(t, err, c.class, "%s %s %v", c.where, c.arg, records)
			require.ErrorContains(t, err, c.want, "%s %s %v", c.where, c.arg, records)
		}
	}
}
