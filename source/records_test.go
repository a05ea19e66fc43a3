package source_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// inputs parses inputs: "jpg;png caption? =text" has an optional caption, and the value of a column.
func inputs(text string) []source.Input {
	var list []source.Input
	for word := range strings.FieldsSeq(text) {
		name, value := strings.CutPrefix(word, "=")
		name, optional := strings.CutSuffix(name, "?")
		list = append(list, source.Input{Name: name, Value: value, Optional: optional})
	}
	return list
}

func openRecords(t testing.TB, args, in string, o source.Options) *source.Records {
	t.Helper()
	r, err := source.OpenRecords(t.Context(), strings.Fields(args), inputs(in), o)
	require.NoError(t, err)
	return r
}

// read returns what each input of a sample holds: its bytes, "-" for none, or the class and text of its error.
func read(t testing.TB, r source.RecordSource, i, inputs int) []string {
	t.Helper()
	var list []string
	for k := range inputs {
		o, err := r.OpenInput(t.Context(), i, k)
		switch {
		case err != nil:
			require.NotEmpty(t, spool.ClassOf(err), "%v", err)
			require.Nil(t, o)
			list = append(list, "! "+err.Error())
		case o == nil:
			list = append(list, "-")
		default:
			data := make([]byte, o.Info().Size)
			if err := spool.ReadFull(t.Context(), o, data); err != nil {
				list = append(list, "! "+err.Error())
			} else {
				list = append(list, string(data))
			}
			require.NoError(t, o.Close())
		}
	}
	return list
}

func readAll(t testing.TB, r *source.Records, inputs int) [][]string {
	t.Helper()
	var list [][]string
	for i := range r.Len() {
		list = append(list, read(t, r, i, inputs))
	}
	return list
}

func keys(s source.Source) []string {
	var list []string
	for i := range s.Len() {
		list = append(list, s.Item(i).Key)
	}
	return list
}

func TestInputs(t *testing.T) {
	tree(t)
	pack(t, "a.tar", "1.jpg", "")
	for in, says := range map[string]string{
		"": "records need inputs", "jpg;;png": "Input.Name jpg;;png", ".jpg": "without a dot", "/jpg": "or slash",
		"a ;": "each alternative", "jpg;.": "each alternative",
	} {
		_, err := source.OpenRecords(t.Context(), []string{"a.tar"}, inputs(in), source.Options{})
		require.ErrorIs(t, err, spool.ErrOptions, in)
		require.ErrorContains(t, err, says, in)
	}
	_, err := source.OpenRecords(t.Context(), nil, inputs("jpg"), source.Options{})
	require.ErrorIs(t, err, spool.ErrOptions)
	_, err = source.OpenRecords(t.Context(), []string{"a.tar"}, inputs("jpg"), source.Options{Unpacked: -1})
	require.ErrorIs(t, err, spool.ErrOptions)
}

// TestRecordsOfSeveralArguments: the same inputs are members, columns and subfolders, and classes are those of all.
func TestRecordsOfSeveralArguments(t *testing.T) {
	tree(t)
	write(t, "tree/jpg/dog/1.jpg", "dog 1")
	write(t, "tree/jpg/cat/1.jpg", "cat 1")
	write(t, "tree/txt/dog/1.txt", "a dog")
	write(t, "tree/txt/cat/1.md", "a cat")
	pack(t, "s-0.tar", "9.jpg", "nine", "9.txt", "a nine", "9.cls", "7")
	pack(t, "s-1.tar.gz", "8.txt", "an eight", "8.JPG", "eight")
	write(t, "t.csv", "jpg,label,txt\ntree/jpg/dog/1.jpg,bird,tree/txt/dog/1.txt\n")
	r := openRecords(t, "s-{0.tar,1.tar.gz} tree t.cs[v]", "jpg txt", source.Options{})
	assert.Equal(t, [][]string{{"nine", "a nine"}, {"eight", "an eight"}, {"cat 1", "a cat"}, {"dog 1", "a dog"},
		{"dog 1", "a dog"}}, readAll(t, r, 2))
	assert.Equal(t, []string{"s-0.tar/9.jpg", "s-1.tar.gz/8.JPG", "tree/jpg/cat/1.jpg", "tree/jpg/dog/1.jpg",
		"tree/jpg/dog/1.jpg"}, names(r))
	assert.Equal(t, []string{"9", "8", "cat/1", "dog/1", ""}, keys(r))
	assert.Equal(t, []string{"bird", "cat", "dog"}, r.Classes())
	assert.Equal(t, []int64{7, -1, 1, 2, 0}, labels(r))
	assert.Equal(t, []int{2, 2, 1}, r.Counts())
	assert.Equal(t, []int{1, 1, 3}, r.Sizes())
	assert.Empty(t, r.Notices())
	assert.False(t, r.Remote())
	assert.NoError(t, r.Damage())
	for i := range r.Len() {
		assert.EqualValues(t, i, r.Item(i).ID)
		assert.Equal(t, read(t, r, i, 1)[0], content(t, r, i), "Open opens the first input")
	}
	assert.Panics(t, func() { _, _ = r.OpenInput(t.Context(), r.Len(), 0) })
}

// TestRecordsRefuse: the problems of all arguments are reported at once.
func TestRecordsRefuse(t *testing.T) {
	tree(t, "photo.jpg", "tree/images/1.jpg", "empty/")
	write(t, "list.txt", "photo.jpg\n")
	pack(t, "empty.tar")
	pack(t, "s.tar", "1.jpg", "", "1.cap", "", "2.jpg", "")
	write(t, "t.csv", "image,capt\n1.jpg,x\n")
	_, err := source.OpenRecords(t.Context(), []string{"photo.jpg", "@list.txt", "none.tar", "none", "empty", "tree",
		"s.tar", "t.csv", "empty.tar", "*.none"}, inputs("jpg;image;images cap;capd"), source.Options{})
	var texts []string
	for _, e := range openPart(err) {
		texts = append(texts, e.Error())
	}
	assert.Equal(t, []string{
		"list photo.jpg: unsupported: files are samples of the input path only; give folders, shards and tables for others",
		"list list.txt: unsupported: files are samples of the input path only; give folders, shards and tables for others",
		"list none.tar: not-found: no such file or directory",
		"list none: not-found: no such file or directory",
		"list empty: not-found: no folder is called jpg or image or images; there are none",
		"list empty: not-found: no folder is called cap or capd; there are none",
		"list tree: not-found: no folder is called cap or capd; there are images",
		"list t.csv: not-found: no column is called cap or capd; there are image, capt; did you mean capt?",
		"list *.none: not-found: nothing matches this pattern",
		"list empty.tar: empty: a shard without samples",
	}, texts)
}

// A sample without its first input cannot be opened as a sample of one input.
func TestRecordsOpenTheFirstInput(t *testing.T) {
	tree(t)
	pack(t, "s.tar", "1.jpg", "one", "2.txt", "two", "3.jpg", "three", "3.txt", "iii")
	r := openRecords(t, "s.tar", "jpg? txt?", source.Options{})
	assert.Equal(t, []string{"s.tar/1.jpg", "s.tar/2.txt", "s.tar/3.jpg"}, names(r))
	assert.Equal(t, [][]string{{"one", "-"}, {"-", "two"}, {"three", "iii"}}, readAll(t, r, 2))
	_, err := r.Open(t.Context(), 1)
	assert.EqualError(t, err, "open s.tar/2.txt: not-found: the sample lacks its first input, which is optional")
}

// Where only the input called path is required, files are samples as for Open.
func TestRecordsOfFiles(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a/1.jpg", "a/2.jpg", "b/3.jpg"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(name), 0o644))
	}
	list := filepath.Join(folder, "list.txt")
	require.NoError(t, os.WriteFile(list, []byte(folder+"/b/3.jpg\t7\n"), 0o644))
	ctx := context.Background()
	inputs := []source.Input{{Name: "caption", Value: true, Optional: true}, {Name: "path"}}
	src, err := source.OpenRecords(ctx, []string{folder, "@" + list, folder + "/a/*.jpg", folder + "/a/1.jpg"}, inputs,
		source.Options{})
	require.NoError(t, err)
	require.Equal(t, 7, src.Len())
	for i, want := range []string{"a/1.jpg", "a/2.jpg", "b/3.jpg", "b/3.jpg", "a/1.jpg", "a/2.jpg", "a/1.jpg"} {
		none, err := src.OpenInput(ctx, i, 0)
		require.NoError(t, err)
		assert.Nil(t, none)
		o, err := src.OpenInput(ctx, i, 1)
		require.NoError(t, err)
		data, err := spool.ReadAll(ctx, o, nil, 0)
		require.NoError(t, err)
		require.NoError(t, o.Close())
		assert.Equal(t, want, string(data))
	}
	for i, label := range []int64{0, 0, 1, 7} {
		assert.Equal(t, label, src.Item(i).Label)
	}
	_, err = source.OpenRecords(ctx, []string{folder + "/a/1.jpg"}, []source.Input{{Name: "path"}, {Name: "txt"}},
		source.Options{})
	assert.ErrorContains(t, err, "the input path only")
}
