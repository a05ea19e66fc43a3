package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// TestRecordsOfTables: columns hold paths, or values as they are.
func TestRecordsOfTables(t *testing.T) {
	tree(t)
	write(t, "data/a.jpg", "image a")
	write(t, "data/m/a.png", "mask a")
	write(t, "data/b.jpg", "image b")
	pack(t, "data/s.tar", "c.jpg", "image c")
	rows := []struct{ csv, json string }{
		{`a.jpg,m/a.png,"a ""cat"", sitting",1.50,0,k1`,
			`{"Image":"a.jpg","mask":"m/a.png","caption":"a \"cat\", sitting","score":1.50,"label":0,"key":"k1"}`},
		{`b.jpg,,,,1,`, `{"Image":"b.jpg","mask":null,"label":1}`},
		{`s.tar/c.jpg,m/none.png, x ,-2,,k3`,
			`{"Image":"s.tar/c.jpg","mask":"m/none.png","caption":" x ","score":-2,"key":"k3"}`},
	}
	csv, lines := "Image,mask,caption,score,label,key\n", ""
	for _, row := range rows {
		csv, lines = csv+row.csv+"\r\n", lines+row.json+"\n"
	}
	tsv := strings.NewReplacer(`"a ""cat"", sitting"`, "\x00", ",", "\t").Replace(csv)
	tsv = strings.ReplaceAll(tsv, "\x00", `a "cat", sitting`)
	for name, text := range map[string]string{"data/t.csv": csv, "data/t.tsv": tsv, "data/t.jsonl": lines} {
		write(t, name, text)
		r := openRecords(t, name, "image mask? =caption? =score?", source.Options{})
		score := map[bool]string{true: "1.5", false: "1.50"}[name == "data/t.jsonl"] // a number, or text
		assert.Equal(t, [][]string{
			{"image a", "mask a", `a "cat", sitting`, score},
			{"image b", "-", "-", "-"},
			{"image c", "! open data/m/none.png: not-found: no such file or directory", " x ", "-2"},
		}, readAll(t, r, 4), name)
		assert.Equal(t, []string{"data/a.jpg", "data/b.jpg", "data/s.tar/c.jpg"}, names(r))
		assert.Equal(t, []string{"k1", "", "k3"}, keys(r))
		assert.Equal(t, []int64{0, 1, -1}, labels(r))
		assert.Empty(t, r.Notices())

		r = openRecords(t, name, "=caption;mask =score;label", source.Options{Ignore: []string{"key"}})
		assert.Equal(t, [][]string{{`a "cat", sitting`, score}, {"! open " + name +
			":2: not-found: the row has no value in column caption or mask", "1"}, {" x ", "-2"}}, readAll(t, r, 2), name)
		assert.Equal(t, []string{name + ":1", name + ":2", name + ":3"}, names(r))
		o, err := r.OpenInput(t.Context(), 0, 1)
		require.NoError(t, err)
		assert.Equal(t, name+":1/score", o.Info().Name)
		assert.Equal(t, []string{"", "", ""}, keys(r), "the column of keys was ignored")
		assert.Len(t, r.Notices(), 1)
	}
}

// TestJSONValues: lists, objects and truth values are JSON, and a dot leads into objects.
func TestJSONValues(t *testing.T) {
	tree(t, "x.jpg")
	write(t, "t.jsonl", `{"v":[1, 2.50],"meta":{"Size":{"w":1e3},"a.b":"dotted","path":"x.jpg"},"ok":true,"n":12345678901234567890123,`+
		`"bytes":[104,105],"f":1E-7,"empty":"","list":[]}`+"\n"+`{"v":null,"meta":{"Size":{}},"n":3,"later":"only here"}`+"\n")
	r := openRecords(t, "t.jsonl", "=v? =meta.size.w? =meta.a.b? =ok? =n =bytes? =f? =empty? =list? =LATER? bytes? meta?",
		source.Options{})
	assert.Equal(t, [][]string{
		{"[1, 2.50]", "1000", "dotted", "true", "12345678901234567890123", "[104,105]", "1e-07", "", "[]", "-", "hi", ""},
		{"-", "-", "-", "-", "3", "-", "-", "-", "-", "only here", "-",
			"! open t.jsonl:2: unsupported: column meta: JSON, where a path, a URL or bytes are needed (source.Input.Value " +
				"takes it as it is)"},
	}, readAll(t, r, 12))
	assert.Equal(t, []string{"t.jsonl:1", "t.jsonl:2"}, names(r))
	_, err := source.OpenRecords(t.Context(), []string{"t.jsonl"}, inputs("=meta.sizes"), source.Options{})
	assert.EqualError(t, err, "list t.jsonl: not-found: no column is called meta.sizes; there are bytes, empty, f, list, "+
		"meta, meta.Size, meta.Size.w, meta.a.b, meta.path, n, ok, v and 1 more; did you mean meta.Size?")
}

// TestBadRowsOfRecords: a bad row is an error of that sample.
func TestBadRowsOfRecords(t *testing.T) {
	tree(t, "x.jpg")
	write(t, "t.csv", "image,text,label\nx.jpg,a,1\nx.jpg\nx.jpg,b,dog\n\"x.jpg,\n")
	r := openRecords(t, "t.csv", "image =text", source.Options{})
	assert.Equal(t, [][]string{{"", "a"},
		{"! open t.csv:2: corrupt: row 2 of the manifest: fewer columns than the first row names",
			"! open t.csv:2: corrupt: row 2 of the manifest: fewer columns than the first row names"},
		{`! open t.csv:3: corrupt: column label: the label "dog" is no integer from 0 up`,
			`! open t.csv:3: corrupt: column label: the label "dog" is no integer from 0 up`},
		{"! open t.csv:4: corrupt: row 4 of the manifest: quotes that do not match",
			"! open t.csv:4: corrupt: row 4 of the manifest: quotes that do not match"}}, readAll(t, r, 2))
	assert.Equal(t, []string{"x.jpg", "t.csv:2", "t.csv:3", "t.csv:4"}, names(r))

	write(t, "t.jsonl", `{"image":"x.jpg","text":"a"}`+"\n"+`{"image":7,"text":[1]}`+"\n"+"[]\n"+`{"image":"a\u0000b"}`+"\n")
	r = openRecords(t, "t.jsonl", "image =text?", source.Options{})
	got := readAll(t, r, 2)
	assert.Equal(t, []string{"", "a"}, got[0])
	assert.Equal(t, []string{"! open t.jsonl:2: unsupported: column image: a number, where a path, a URL or bytes are " +
		"needed (source.Input.Value takes it as it is)", "[1]"}, got[1])
	assert.Contains(t, got[2][0], "t.jsonl:3: corrupt: row 3 of the manifest: no JSON object")
	assert.Contains(t, got[3][0], "t.jsonl:4: corrupt: row 4 of the manifest: a zero byte")

	write(t, "binary.csv", "\x00\x01\n\x02")
	_, err := source.OpenRecords(t.Context(), []string{"binary.csv"}, inputs("image"), source.Options{})
	assert.ErrorIs(t, err, spool.ErrNotFound)
	write(t, "nothing.csv", "image\n")
	_, err = source.OpenRecords(t.Context(), []string{"nothing.csv", "zero.csv"}, inputs("image"), source.Options{})
	assert.ErrorIs(t, err, spool.ErrEmpty)
}

// TestLabelsThatAreInputs: a label column may hold anything if an input has it, unless it is asked for as the label.
func TestLabelsThatAreInputs(t *testing.T) {
	tree(t, "x.jpg")
	write(t, "scores.csv", "image,label\nx.jpg,0.5\n")
	write(t, "lists.jsonl", `{"image":"x.jpg","label":[0.5,1]}`+"\n")
	write(t, "names.csv", "image,label\nx.jpg,dog\nx.jpg,cat\n")
	for name, want := range map[string][]string{"scores.csv": {"", "0.5"}, "lists.jsonl": {"", "[0.5,1]"},
		"names.csv": {"", "dog"}} {
		r := openRecords(t, name, "image =label", source.Options{})
		assert.Equal(t, want, read(t, r, 0, 2))
		if name == "names.csv" {
			assert.Equal(t, []int64{1, 0}, labels(r))
			continue
		}
		assert.Equal(t, []int64{-1}, labels(r))
		_, err := source.OpenRecords(t.Context(), []string{name}, inputs("image =label"), source.Options{Label: "label"})
		assert.ErrorIs(t, err, spool.ErrUnsupported)
		_, err = source.OpenRecords(t.Context(), []string{name}, inputs("image"), source.Options{})
		assert.ErrorIs(t, err, spool.ErrUnsupported, "as in Open")
	}
}

func TestNoticesOfRecordTables(t *testing.T) {
	tree(t, "x.mp4")
	write(t, "t.csv", "clip,start,end,text\nx.mp4,1,2,a\n")
	_, err := source.OpenRecords(t.Context(), []string{"t.csv"}, inputs("clip"), source.Options{Medium: source.Videos})
	assert.ErrorContains(t, err, "the table gives times in start, end")
	r := openRecords(t, "t.csv", "clip =start =end =Caption?", source.Options{Medium: source.Videos})
	assert.Equal(t, [][]string{{"", "1", "2", "-"}}, readAll(t, r, 4))
	assert.Equal(t, []string{"t.csv: optional input: no column is called Caption; there are clip, start, end, text",
		"t.csv: columns that are not used: text"}, r.Notices())
	r = openRecords(t, "t.csv", "clip =start =end =Caption?", source.Options{Medium: source.Videos,
		Ignore: []string{"*", "caption"}})
	assert.Empty(t, r.Notices(), "what is ignored by its name")
}

// TestPathsOfRecordTables: relative paths start in the working directory or at the table, decided by the first path of
// any input.
func TestPathsOfRecordTables(t *testing.T) {
	tree(t)
	write(t, "here.txt", "in the working directory")
	write(t, "data/there.txt", "beside the table")
	write(t, "data/t.csv", "name,file,more\na,,there.txt\nb,there.txt,\n")
	r := openRecords(t, "data/t.csv", "=name file? more?", source.Options{})
	assert.Equal(t, [][]string{{"a", "-", "beside the table"}, {"b", "beside the table", "-"}}, readAll(t, r, 3))
	write(t, "data/t.csv", "name,file,more\na,,here.txt\nb,here.txt,\n")
	r = openRecords(t, "data/t.csv", "=name file? more?", source.Options{})
	assert.Equal(t, "in the working directory", read(t, r, 0, 3)[2])
	assert.Equal(t, []string{"data/t.csv:1", "here.txt"}, names(r))
}

func TestRemoteRecordsOfTables(t *testing.T) {
	b := remotely(t, "data/a.jpg", "data/m/a.png")
	require.NoError(t, os.WriteFile(filepath.Join(b.folder, "data/t.csv"),
		[]byte("image,mask,text\na.jpg,"+bucketURL+"data/m/a.png,hello\n"), 0o600))
	r := openRecords(t, bucketURL+"data/t.csv", "image mask =text", source.Options{Remote: b})
	assert.Equal(t, [][]string{{"the bytes of data/a.jpg", "the bytes of data/m/a.png", "hello"}}, readAll(t, r, 3))
	assert.True(t, r.Remote())

	tree(t, "a.jpg")
	write(t, "t.csv", "image,mask\na.jpg,"+bucketURL+"data/m/a.png\n")
	r = openRecords(t, "t.csv", "image mask", source.Options{Remote: b})
	assert.Equal(t, [][]string{{"", "the bytes of data/m/a.png"}}, readAll(t, r, 2))
	assert.True(t, r.Remote(), "any input may be remote")
	assert.False(t, openRecords(t, "t.csv", "image", source.Options{Remote: b}).Remote())
}
