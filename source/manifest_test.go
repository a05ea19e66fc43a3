package source_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/source"
)

func write(t testing.TB, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
}

func TestManifest(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		names            []string
		labels           []int64
		classes          []string
	}{
		{"csv", "m.csv", "path,label\na.jpg,3\nb.jpg,-1\n", []string{"a.jpg", "b.jpg"}, []int64{3, -1}, nil},
		{"no label", "m.csv", "\uFEFFid,image\r\n7,a.jpg\r\n\r\n8,b.jpg", []string{"a.jpg", "b.jpg"}, []int64{-1, -1}, nil},
		{"upper case", "m.CSV", "Label, Path \n3,a.jpg\n,b.jpg\n", []string{"a.jpg", "b.jpg"}, []int64{3, -1}, nil},
		{"quotes", "m.csv", "\"path\",note,label\n\"a, \"\"b\"\".jpg\",\"two\nlines\",1\nb\".jpg,x,2\n",
			[]string{`a, "b".jpg`, `b".jpg`}, []int64{1, 2}, nil},
		{"class names", "m.csv", "file,target\na.jpg,dog\nb.jpg,\nc.jpg,cat\nd.jpg,dog\n",
			[]string{"a.jpg", "b.jpg", "c.jpg", "d.jpg"}, []int64{1, -1, 0, 1}, []string{"cat", "dog"}},
		{"class names and a row without", "m.csv", "target,path\ndog,a.jpg\nno class\ncat,b.jpg\n",
			[]string{"a.jpg", "m.csv:2", "b.jpg"}, []int64{1, -1, 0}, []string{"cat", "dog"}},
		{"tsv", "m.tsv", "path\tlabel\na, b.jpg\t3\n", []string{"a, b.jpg"}, []int64{3}, nil},
		{"jsonl", "m.jsonl", "{\"path\":\"a.jpg\",\"label\":3}\n\n{\"label\":null,\"image\":\"\\u00fc.jpg\"}",
			[]string{"a.jpg", "ü.jpg"}, []int64{3, -1}, nil},
		{"another name", "ledger", "\n{\"path\":\"a.jpg\"}\n", []string{"a.jpg"}, []int64{-1}, nil},
		{"another name, of fields", "list.txt", "path,label\na.jpg,1\n", []string{"a.jpg"}, []int64{1}, nil},
		{"class names in JSON", "m.ndjson", `{"path":"a.jpg","label":"dog"}` + "\n" + `{"path":"b.jpg","label":"cat"}`,
			[]string{"a.jpg", "b.jpg"}, []int64{1, 0}, []string{"cat", "dog"}},
		{"a ledger", "m.jsonl", `{"id":"17","file":"bad.jpg","stage":"decode","class":"corrupt","text":"no","attempts":1,"action":"skip"}`, []string{"bad.jpg"}, []int64{-1}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree(t)
			write(t, c.file, c.text)
			s, err := source.Manifest(t.Context(), c.file, source.Options{})
			require.NoError(t, err)
			assert.Equal(t, c.names, names(s))
			assert.Equal(t, c.labels, labels(s))
			assert.Equal(t, c.classes, s.Classes())
			again, err := source.Open(t.Context(), []string{c.file}, source.Options{})
			require.NoError(t, err)
			if filepath.Ext(c.file) != "" && filepath.Ext(c.file) != ".txt" {
				assert.Equal(t, c.names, names(again), "Open knows it by its extension")
			}
		})
	}
}

func TestManifestColumns(t *testing.T) {
	tree(t)
	write(t, "m.csv", "path,URL,label,kind,key,uid\nno,a.jpg,no,4,no,x7\n")
	s, err := source.Manifest(t.Context(), "m.csv", source.Options{Path: "url", Label: "kind", Key: "UID"})
	require.NoError(t, err)
	assert.Equal(t, source.Item{ID: 0, Name: "a.jpg", Label: 4, Key: "x7"}, s.Item(0))
}

// TestManifestKeys: keys are kept as written, text or numbers.
func TestManifestKeys(t *testing.T) {
	tree(t)
	write(t, "m.csv", "key,path\nfirst,a.jpg\n,b.jpg\n")
	write(t, "m.jsonl", `{"path":"c.jpg","key":"\u00fc"}`+"\n"+`{"path":"d.jpg","key":7}`+"\n"+`{"path":"e.jpg"}`)
	pack(t, "s.tar", "a/1.seg.jpg", "", "2.jpg", "")
	s, err := source.Open(t.Context(), []string{"m.csv", "m.jsonl", "s.tar"}, source.Options{})
	require.NoError(t, err)
	var keys []string
	for i := range s.Len() {
		keys = append(keys, s.Item(i).Key)
	}
	assert.Equal(t, []string{"first", "", "ü", "7", "", "a/1", "2"}, keys)
}

// TestManifestPlaces: relative paths start at the working directory, or at the manifest's folder if the first is found
// there.
func TestManifestPlaces(t *testing.T) {
	tree(t, "data/a.jpg", "b.jpg")
	write(t, "data/a.csv", "path\na.jpg\nb.jpg\n/c.jpg\n")
	write(t, "data/b.jsonl", `{"path":"b.jpg"}`+"\n"+`{"path":"data/a.jpg"}`)
	s, err := source.Open(t.Context(), []string{"data/a.csv", "data/b.jsonl", "b.jpg"}, source.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"data/a.jpg", "data/b.jpg", "/c.jpg", "b.jpg", "data/a.jpg", "b.jpg"}, names(s))
	for i, want := range []error{nil, spool.ErrNotFound, spool.ErrNotFound, nil, nil, nil} {
		o, err := s.Open(t.Context(), i)
		if want != nil {
			assert.ErrorIs(t, err, want)
			continue
		}
		require.NoError(t, err)
		assert.NoError(t, o.Close())
	}
}

// TestManifestOfMembers: the names that Shards gives are valid paths, so that failed samples can be loaded again.
func TestManifestOfMembers(t *testing.T) {
	tree(t, "c.tar/x.jpg")
	whole := pack(t, "a.tar", "1.jpg", "first", "deep/2.jpg", "second", "deep/2.wav", "sound")
	write(t, "cut.tar", string(whole[:1100]))
	pack(t, "b.tar.gz", "1.jpg", "third")
	s, err := source.Open(t.Context(), []string{"[ac].tar", "b.tar.gz"}, source.Options{})
	require.NoError(t, err)
	var rows strings.Builder
	for i := range s.Len() {
		fmt.Fprintf(&rows, "{\"file\":%q}\n", s.Item(i).Name)
	}
	write(t, "m.jsonl", rows.String()+`{"file":"a.tar/none.jpg"}`+"\n"+`{"file":"none.tar/1.jpg"}`+"\n"+`{"file":"a.tar/deep/2.wav"}`+"\n"+`{"file":"cut.tar/deep/2.jpg"}`)
	again, err := source.Manifest(t.Context(), "m.jsonl", source.Options{})
	require.NoError(t, err)
	assert.Equal(t, names(s), names(again)[:4])
	for i, want := range []string{"first", "second", "", "third"} {
		assert.Equal(t, want, content(t, again, i), again.Item(i).Name)
	}
	for i := range 2 {
		_, err = again.Open(t.Context(), 4+i)
		assert.ErrorIs(t, err, spool.ErrNotFound)
	}
	assert.Equal(t, "sound", content(t, again, 6), "of whatever kind")
	_, err = again.Open(t.Context(), 7)
	assert.ErrorIs(t, err, spool.ErrTruncated, "it lay behind the end")
	assert.ErrorContains(t, err, "cut.tar/deep/2.jpg")
}

// TestManifestRowsThatAreBad: a bad row is its item's error, and the other rows are unaffected.
func TestManifestRowsThatAreBad(t *testing.T) {
	tree(t, "a.jpg", "z.jpg")
	for file, rows := range map[string][]string{
		"m.csv": {"path,label", "a.jpg,1", "b.jpg", "b.jpg,dog", ",1", "\"b.jpg\"x,1", "b\x00.jpg,1",
			strings.Repeat("x", 1<<20) + ",1", "\"open,1", "z.jpg,2"},
		"m.jsonl": {`{"path":"a.jpg","label":1}`, `{"path":"b.jpg","label":"dog"}`, `{"label":1}`, `["b.jpg"]`, `{"path":7}`,
			`{"path":"b.jpg","label":1.5}`,
			`{"path":""}`, `{"path":"b.jpg"`, `{"path":"a.jpg"} {}`, `{"path":"z.jpg","label":2}`},
	} {
		write(t, file, strings.Join(rows, "\n")+"\n")
		s, err := source.Manifest(t.Context(), file, source.Options{})
		require.NoError(t, err)
		n := s.Len()
		if file == "m.csv" {
			require.Equal(t, len(rows)-1, n)
		} else {
			require.Equal(t, len(rows), n)
		}
		for i := range n {
			o, err := s.Open(t.Context(), i)
			if i == 0 || i == n-1 {
				require.NoError(t, err)
				assert.NoError(t, o.Close())
				continue
			}
			assert.ErrorIs(t, err, spool.ErrCorrupt, "%s row %d", file, i+1)
			assert.ErrorContains(t, err, fmt.Sprintf("open %s:%d: corrupt: row %d of the manifest", file, i+1, i+1))
			assert.Equal(t, source.Item{ID: int64(i), Name: fmt.Sprintf("%s:%d", file, i+1), Label: -1}, s.Item(i))
		}
		assert.Equal(t, []int64{1, 2}, []int64{s.Item(0).Label, s.Item(n - 1).Label})
	}
}

func TestManifestErrors(t *testing.T) {
	tree(t, "empty.csv", "folder.csv/")
	for file, c := range map[string]struct {
		text string
		want error
		says string
	}{
		"no.csv":     {"", spool.ErrNotFound, ""},
		"folder.csv": {"", spool.ErrNotAFile, ""},
		"empty.csv":  {"", spool.ErrEmpty, "zero bytes"},
		"head.csv":   {"path,label\n\n", spool.ErrEmpty, "without rows"},
		"bare.csv": {"a.jpg,1\nb.jpg,2\n", spool.ErrCorrupt,
			"no column of the manifest is called file, path, filename, image, video, audio; there are a.jpg, 1"},
		"bare.jsonl": {`{"url":"a.jpg","x":1}`, spool.ErrCorrupt, "there are url, x"},
		"text.jsonl": {"a.jpg\n", spool.ErrCorrupt, "no JSON object"},
		"open.csv":   {"\"path", spool.ErrCorrupt, "quotes"},
		"lines.csv":  {"\n\r\n\r", spool.ErrCorrupt, "no column"},
		"rows.jsonl": {"\n\r\n\r", spool.ErrEmpty, "without rows"},
	} {
		if c.text != "" {
			write(t, file, c.text)
		}
		_, err := source.Manifest(t.Context(), file, source.Options{})
		assert.ErrorIs(t, err, c.want, file)
		assert.ErrorContains(t, err, c.says)
		assert.ErrorContains(t, err, file)
	}
	require.NoError(t, os.Truncate("empty.csv", 1<<40))
	_, err := source.Manifest(t.Context(), "empty.csv", source.Options{})
	assert.ErrorIs(t, err, spool.ErrTooLarge, "a file of a TiB that takes no room")
	write(t, "good.csv", "path\na.jpg\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = source.Manifest(ctx, "good.csv", source.Options{})
	assert.ErrorIs(t, err, spool.ErrCanceled)
}

// million writes a manifest of that many rows, with paths as long as ImageNet's.
func million(t testing.TB, rows int, class string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "million.csv")
	f, err := os.Create(name)
	require.NoError(t, err)
	defer f.Close()
	var b strings.Builder
	b.WriteString("path,label\n")
	for i := range rows {
		fmt.Fprintf(&b, "train/n%08d/n%08d_%d.JPEG,%s%d\n", i%1000, i%1000, i, class, i%1000)
		if b.Len() > 1<<20 || i == rows-1 {
			_, err := io.WriteString(f, b.String())
			require.NoError(t, err)
			b.Reset()
		}
	}
	return name
}

// TestManifestIsReadLate: 100,000 rows take little of Go's memory, whichever of them is read.
func TestManifestIsReadLate(t *testing.T) {
	const rows = 100_000
	name := million(t, rows, "")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	begin := time.Now()
	s, err := source.Manifest(t.Context(), name, source.Options{})
	require.NoError(t, err)
	t.Logf("%v", time.Since(begin))
	runtime.GC()
	runtime.ReadMemStats(&after)
	perRow := float64(int64(after.HeapAlloc)-int64(before.HeapAlloc)) / rows
	t.Logf("%.2f bytes a row", perRow)
	assert.Less(t, perRow, 3.0)
	require.Equal(t, rows, s.Len())
	for _, i := range []int{0, 1, 15, 16, 17, 54_321, rows - 1} {
		assert.Equal(t, source.Item{ID: int64(i), Name: fmt.Sprintf("train/n%08d/n%08d_%d.JPEG", i%1000, i%1000, i),
			Label: int64(i % 1000)}, s.Item(i))
	}
}

func BenchmarkManifest(b *testing.B) {
	for _, class := range []string{"", "class "} {
		name := million(b, 1_281_167, class)
		b.Run("index"+class, func(b *testing.B) {
			for b.Loop() {
				if _, err := source.Manifest(b.Context(), name, source.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		s, err := source.Manifest(b.Context(), name, source.Options{})
		require.NoError(b, err)
		b.Run("item"+class, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				_ = s.Item(i)
				i = (i + 7919) % s.Len()
			}
		})
	}
}

// FuzzManifest: whatever a manifest holds, its items can be read and have names.
func FuzzManifest(f *testing.F) {
	for _, seed := range []string{"path,label\na,1\nb\n\"c\n,\n", "path\tlabel\na\tdog\n\tcat",
		`{"path":"a","label":"x"}` + "\n{}\n[1]\n{\"path\":3}"} {
		f.Add([]byte(seed))
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		accepted := false
		for _, name := range []string{"m.csv", "m.tsv", "m.jsonl"} {
			name = filepath.Join(folder, name)
			if err := os.WriteFile(name, text, 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := source.Manifest(t.Context(), name, source.Options{})
			if err != nil {
				if class := spool.ClassOf(err); class != spool.ErrCorrupt && class != spool.ErrEmpty {
					t.Fatal(err)
				}
				continue
			}
			accepted = true
			for i := range s.Len() {
				item := s.Item(i)
				if item.Name == "" || item.Label < -1 || len(s.Classes()) > 0 && item.Label >= int64(len(s.Classes())) {
					t.Fatalf("%+v", item)
				}
			}
		}
		if accepted {
			fuzzed.Accept()
		}
	})
}
