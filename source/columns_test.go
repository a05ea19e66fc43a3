package source_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// Unused columns are reported, or refused if the table means other samples than would be loaded.
func TestColumnsOfTables(t *testing.T) {
	none := "; none is called label, target, cls, class, class_name, category, so that there are no labels " +
		"(source.Options.Label)"
	for _, c := range []struct {
		name, file, text string
		o                source.Options
		labels           []int64
		notices          []string
		refused          string
	}{
		{"all used", "m.csv", "path,label,key,size,etag\na.jpg,3,k,1,x\n", source.Options{}, []int64{3}, nil, ""},
		{"not used", "m.csv", "path,label,width,Caption\na.jpg,3,7,x\n", source.Options{}, []int64{3},
			[]string{"m.csv: columns that are not used: width, caption"}, ""},
		{"no label", "m.csv", "path,species\na.jpg,dog\n", source.Options{}, []int64{-1},
			[]string{"m.csv: columns that are not used: species" + none}, ""},
		{"another label", "m.csv", "path,species\na.jpg,dog\n", source.Options{Label: "species"}, []int64{0}, nil, ""},
		{"a label that is not there", "m.csv", "path,species\na.jpg,dog\n", source.Options{Label: "genus"}, nil, nil,
			"m.csv: unsupported: no column is called genus, which is to hold the labels; there are path, species"},
		{"a column without a name", "m.csv", ",path,label\n0,a.jpg,3\n", source.Options{}, []int64{3}, nil, ""},
		{"ignored", "m.csv", "path,label,width\na.jpg,3,7\n", source.Options{Ignore: []string{"Width"}}, []int64{3}, nil, ""},
		{"a label that is ignored", "m.csv", "path,label\na.jpg,0.5\n", source.Options{Ignore: []string{"label"}},
			[]int64{-1}, nil, ""},
		{"cls", "m.csv", "path,cls\na.jpg,3\n", source.Options{}, []int64{3}, nil, ""},
		{"class", "m.jsonl", `{"path":"a.jpg","class":"dog","score":0.5}`, source.Options{}, []int64{0},
			[]string{"m.jsonl: columns that are not used: score"}, ""},
		{"two labels", "m.csv", "path,class,label\na.jpg,dog,3\n", source.Options{}, []int64{3},
			[]string{"m.csv: columns that are not used: class"}, ""},
		{"times of images", "m.csv", "path,start\na.jpg,1\n", source.Options{Ignore: []string{"label"}}, []int64{-1},
			[]string{"m.csv: columns that are not used: start"}, ""},
		{"times of videos", "m.csv", "path,label,start_frame,end\na.mp4,1,0,5\n", source.Options{Medium: source.Videos}, nil,
			nil, "m.csv: unsupported: the table gives times in start_frame, which are not used: ignore start_frame by " +
				"source.Options.Ignore, or call columns of seconds start and end"},
		{"segments", "m.csv", "path,label,start,end,stream\na.mp4,1,0,5,1\n", source.Options{Medium: source.Videos},
			[]int64{1}, nil, ""},
		{"no times", "m.csv", "path,label,start\na.mp4,1,early\n", source.Options{Medium: source.Videos}, nil, nil,
			`m.csv: unsupported: row 1 of the manifest: column start: "early" is no time in seconds, or no number of a stream ` +
				"(source.Options.Ignore leaves columns out)"},
		{"times of audio", "m.jsonl", `{"path":"a.wav","start_s":1.5}`, source.Options{Medium: source.Audio}, nil, nil,
			"start_s"},
		{"times that are ignored", "m.csv", "path,label,start,end\na.mp4,1,0,5\n",
			source.Options{Medium: source.Videos, Ignore: []string{"*"}}, []int64{1}, nil, ""},
		{"fractions", "m.csv", "path,target\na.jpg,\nb.jpg,0.5\n", source.Options{}, nil, nil,
			"m.csv: unsupported: row 2, column target: a label that is neither an integer nor the name of a class: 0.5 " +
				"(source.Options.Ignore with target loads without labels)"},
		{"fractions that are whole", "m.tsv", "path\tlabel\na.jpg\t1.0\n", source.Options{}, nil, nil, "row 1, column label"},
		{"fractions in JSON", "m.jsonl", `{"path":"a.jpg","label":1e3}`, source.Options{}, nil, nil, "row 1, column label"},
		{"lists", "m.jsonl", `{"path":"a.jpg","label":[1,2]}`, source.Options{}, nil, nil,
			"row 1, column label: a label that is neither an integer nor the name of a class: [1,2]"},
		{"truth", "m.jsonl", `{"path":"a.jpg","label":true}`, source.Options{}, nil, nil, "row 1, column label"},
		{"names like numbers", "m.csv", "path,label\na.jpg,nan\nb.jpg,inf\n", source.Options{}, []int64{1, 0}, nil, ""},
		{"later columns", "m.jsonl", `{"path":"a.jpg","label":null,"video":null}` + "\n" + `{"path":"b.jpg","label":1,"score":2}`, source.Options{}, []int64{-1, 1}, []string{"m.jsonl: columns that are not used: score"}, ""},
		{"a ledger", "m.jsonl", `{"id":"17","file":"a.mp4","stage":"decode","class":"corrupt","text":"no","attempts":1,"action":"skip","epoch":2}`, source.Options{Medium: source.Videos}, []int64{-1}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree(t)
			write(t, c.file, c.text)
			listing, err := source.Open(t.Context(), []string{c.file}, c.o)
			stream, streamErr := source.OpenStream(t.Context(), []string{c.file}, c.o)
			if c.refused != "" {
				require.ErrorIs(t, err, spool.ErrUnsupported)
				require.ErrorContains(t, err, c.refused)
				require.ErrorContains(t, streamErr, c.refused)
				return
			}
			require.NoError(t, err)
			require.NoError(t, streamErr)
			assert.Equal(t, c.labels, labels(listing))
			assert.Equal(t, c.notices, listing.Notices())
			assert.Equal(t, c.notices, stream.Notices())
		})
	}
}

// A bad label in a later row is the error of its own sample.
func TestLaterLabels(t *testing.T) {
	tree(t)
	write(t, "m.csv", "path,label\na.jpg,1\nb.jpg,0.5\n")
	s, err := source.Manifest(t.Context(), "m.csv", source.Options{})
	require.NoError(t, err)
	_, err = s.Open(t.Context(), 1)
	require.ErrorIs(t, err, spool.ErrCorrupt)
	require.ErrorContains(t, err, "0.5")
}

// A notice that applies to several tables is given once.
func TestNoticesOfManyTables(t *testing.T) {
	tree(t)
	for _, name := range []string{"1.csv", "2.csv", "3.csv"} {
		write(t, name, "path,label,width\na.jpg,3,7\n")
	}
	write(t, "4.csv", "path,label,height\na.jpg,3,7\n")
	s, err := source.Open(t.Context(), []string{"{1..4}.csv"}, source.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"1.csv and 2 more: columns that are not used: width",
		"4.csv: columns that are not used: height"}, s.Notices())
}
