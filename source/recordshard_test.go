package source_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// TestNamesOfWebDataset: samples and fields are those of WebDataset's base_plus_ext and group_by_keys, except that
// members whose base name begins with a dot belong to no sample.
func TestNamesOfWebDataset(t *testing.T) {
	tree(t)
	pack(t, "s.tar",
		"img.jpg", "img", "img.seg.png", "seg",
		"dir.v1/1.jpg", "in a folder with a dot", "dir.v1/1.seg.png", "its seg",
		"22.05.jpg", "a dot in the name",
		"none", "no dot", ".x.jpg", "hidden", "a/.x.jpg", "also hidden",
		"./b.JPG", "upper", "b.Seg.PNG", "mixed",
		"c.seg.png", "first the seg", "c.txt", "unused", "c.png", "then the image",
		"__meta__.jpg", "its base name ends in .jpg", "__x.y__", "meta",
		"d.jpg", "apart", "e.jpg", "between", "d.seg.png", "too late")
	r := openRecords(t, "s.tar", "jpg;png seg.png?", source.Options{})
	assert.Equal(t, []string{"img", "dir.v1/1", "b", "c", "__meta__", "d", "e"}, keys(r))
	assert.Equal(t, [][]string{{"img", "seg"}, {"in a folder with a dot", "its seg"}, {"upper", "mixed"},
		{"then the image", "first the seg"}, {"its base name ends in .jpg", "-"}, {"apart", "-"}, {"between", "-"}},
		readAll(t, r, 2))
	assert.Equal(t, []string{"s.tar/img.jpg", "s.tar/dir.v1/1.jpg", "s.tar/b.JPG", "s.tar/c.png", "s.tar/__meta__.jpg",
		"s.tar/d.jpg", "s.tar/e.jpg"}, names(r))
	assert.Equal(t, []string{"s.tar: members that are not used: 05.jpg, txt"}, r.Notices())
	assert.Equal(t, "1 .05.jpg, 1 .seg.png", r.Skipped().String())

	r = openRecords(t, "s.tar", "05.jpg", source.Options{Ignore: []string{"*"}})
	assert.Equal(t, []string{"22"}, keys(r))
	assert.Empty(t, r.Notices())
}

// TestMembersOfRecords: what a sample lacks is its own error, or nothing.
func TestMembersOfRecords(t *testing.T) {
	for _, ending := range []string{"tar", "tar.gz", "tar.zst"} {
		t.Run(ending, func(t *testing.T) {
			tree(t)
			pack(t, "s."+ending, "1.jpg", "one", "1.png", "second choice", "1.txt", "text 1", "1.cls", "3",
				"2.txt", "text 2", "2.json", "{}", "3.png", "three", "3.txt", "", "4.json", "nobody wants it",
				"5.jpg", "five", "5.txt", "a", "5.txt", "b", "6.jpg", "six", "6.cls", "dog")
			r := openRecords(t, "s."+ending, "jpg;png txt webp?", source.Options{})
			file := "s." + ending + "/"
			assert.Equal(t, [][]string{
				{"one", "text 1", "-"},
				{"! open " + file + "2.txt: not-found: the sample has no member jpg or png, but txt, json", "text 2", "-"},
				{"three", "", "-"},
				{"! open " + file + "5.jpg: corrupt: the archive has 5.txt twice in succession",
					"! open " + file + "5.txt: corrupt: the archive has 5.txt twice in succession",
					"! open " + file + "5.jpg: corrupt: the archive has 5.txt twice in succession"},
				{"! open " + file + "6.jpg: corrupt: the member cls holds no label: an integer from 0 up",
					"! open " + file + "6.jpg: corrupt: the member cls holds no label: an integer from 0 up",
					"! open " + file + "6.jpg: corrupt: the member cls holds no label: an integer from 0 up"},
			}, readAll(t, r, 3))
			assert.Equal(t, []int64{3, -1, -1, -1, -1}, labels(r))
			assert.Equal(t, "1 .json", r.Skipped().String())
			assert.Equal(t, []string{
				"s." + ending + ": optional input: no sample has a member webp; there are txt, jpg, cls, json, png",
				"s." + ending + ": members that are not used: json"}, r.Notices())
		})
	}
}

// TestInputsThatNoSampleHas is an error of the listing for required inputs, which names the extensions.
func TestInputsThatNoSampleHas(t *testing.T) {
	tree(t)
	pack(t, "s.tar", "1.jpg", "", "1.txt", "", "2.jpg", "", "3.json", "")
	for in, want := range map[string]string{
		"jpg tyt":     "list s.tar: not-found: no sample has a member tyt; there are jpg, json, txt; did you mean txt?",
		"png;webp":    "list s.tar: not-found: no sample has a member png or webp; there are jpg, json, txt",
		"png? webp?":  "list s.tar: empty: no sample has any of the inputs; there are members jpg, json, txt",
		"jpg seg.png": "list s.tar: not-found: no sample has a member seg.png; there are jpg, json, txt",
	} {
		_, err := source.OpenRecords(t.Context(), []string{"s.tar"}, inputs(in), source.Options{})
		assert.EqualError(t, err, want)
	}
	assert.Equal(t, 3, openRecords(t, "s.tar", "jpg? json?", source.Options{}).Len())
	assert.Equal(t, 2, openRecords(t, "s.tar", "jpg json?", source.Options{}).Len())
}

// TestDamagedRecords: samples before the damage are read, and what may come after it is not called missing.
func TestDamagedRecords(t *testing.T) {
	tree(t)
	whole := pack(t, "good.tar", "1.jpg", "first", "1.txt", "text", "2.jpg", "second",
		"2.txt", strings.Repeat("long", 1000))
	header := func(i int) int { return i * 1024 } // each member before the last takes two blocks
	write(t, "cut.tar", string(whole[:header(3)+2000]))
	write(t, "header.tar", string(whole[:header(3)+100]))
	flipped := bytes.Clone(whole)
	flipped[header(3)] ^= 1
	write(t, "flipped.tar", string(flipped))
	write(t, "noise.tar", strings.Repeat("no tar file", 100))

	torn := func(file, what string) [][]string {
		damage := fmt.Sprintf("open %s/2.jpg: %s", file, what)
		return [][]string{{"first", "text", "-"}, {"second", "! " + damage, "! " + damage}}
	}
	for _, c := range []struct {
		file string
		last string
	}{{"header.tar", "truncated"}, {"flipped.tar", "corrupt"}} {
		r := openRecords(t, c.file, "jpg txt cls?", source.Options{})
		require.Equal(t, 3, r.Len())
		want := torn(c.file, c.last)
		assert.Equal(t, want[0], read(t, r, 0, 3))
		got := read(t, r, 1, 3)
		assert.Equal(t, "second", got[0])
		assert.Contains(t, got[1], want[1][1]+": a member txt may come after the damage: read: "+c.last)
		assert.Contains(t, got[2], want[1][2]+": a member cls may come after the damage: read: "+c.last)
		assert.Equal(t, source.Item{ID: 2, Name: c.file, Label: -1}, r.Item(2))
		for _, text := range read(t, r, 2, 3) {
			assert.Contains(t, text, c.file+": "+c.last)
		}
		require.ErrorContains(t, r.Damage(), c.last)
	}
	r := openRecords(t, "cut.tar", "jpg txt", source.Options{})
	assert.Contains(t, read(t, r, 1, 2)[1], "read cut.tar/2.txt: truncated")
	assert.Equal(t, 3, r.Len())
	r = openRecords(t, "good.tar noise.tar", "jpg txt", source.Options{})
	assert.Equal(t, []string{"good.tar/1.jpg", "good.tar/2.jpg", "noise.tar"}, names(r))
	assert.ErrorContains(t, r.Damage(), "noise.tar: corrupt")
}

// TestRecordsOfSavedIndexes: an index gives the records of its shard, without reading the headers.
func TestRecordsOfSavedIndexes(t *testing.T) {
	tree(t)
	data := pack(t, "s.tar", "1.jpg", "one", "1.txt", "text", "2.jpg", "two", "3.jpg", "three", "3.TXT", "upper",
		"3.cls", "1")
	then := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes("s.tar", then, then))
	before := openRecords(t, "s.tar", "jpg txt?", source.Options{})
	_, err := source.SaveShardIndex(t.Context(), "s.tar", source.Options{Indexes: "indexes"})
	require.NoError(t, err)
	clear(data[:512])
	require.NoError(t, os.WriteFile("s.tar", data, 0o600))
	require.NoError(t, os.Chtimes("s.tar", then, then))
	after := openRecords(t, "s.tar", "jpg txt?", source.Options{Indexes: "indexes"})
	assert.Equal(t, names(before), names(after))
	assert.Equal(t, labels(before), labels(after))
	assert.Equal(t, [][]string{{"one", "text"}, {"two", "-"}, {"three", "upper"}}, readAll(t, after, 2))
}

func TestRemoteRecordsOfShards(t *testing.T) {
	b := remotely(t)
	t.Chdir(b.folder)
	pack(t, "s-0.tar", "1.jpg", "one", "1.txt", "text", "1.cls", "4")
	pack(t, "s-1.tar.gz", "2.jpg", "two", "2.txt", "more")
	r := openRecords(t, bucketURL+"s-{0.tar,1.tar.gz}", "jpg txt", source.Options{Remote: b})
	assert.Equal(t, [][]string{{"one", "text"}, {"two", "more"}}, readAll(t, r, 2))
	assert.Equal(t, []string{bucketURL + "s-0.tar/1.jpg", bucketURL + "s-1.tar.gz/2.jpg"}, names(r))
	assert.Equal(t, []int64{4, -1}, labels(r))
	assert.True(t, r.Remote())
	r = openRecords(t, bucketURL+"s-*.tar", "txt", source.Options{Remote: b})
	assert.Equal(t, []string{bucketURL + "s-0.tar/1.txt"}, names(r))
}

func TestRecordsAreCanceled(t *testing.T) {
	tree(t, "f/a/1.jpg", "f/b/1.png")
	pack(t, "s.tar", "1.jpg", "one", "1.txt", "text")
	write(t, "t.csv", "jpg,txt\ns.tar,x\n")
	ctx, cancel := context.WithCancel(t.Context())
	r, err := source.OpenRecords(ctx, []string{"s.tar", "t.csv"}, inputs("jpg txt"), source.Options{})
	require.NoError(t, err)
	cancel()
	for i := range r.Len() {
		_, err = r.OpenInput(ctx, i, 1)
		assert.ErrorIs(t, err, spool.ErrCanceled)
	}
	for _, arg := range []string{"s.tar", "t.csv", "f"} {
		_, err = source.OpenRecords(ctx, []string{arg}, inputs("jpg;a txt;b"), source.Options{})
		assert.ErrorIs(t, err, spool.ErrCanceled, arg)
		_, err = source.InferInputs(ctx, []string{arg}, source.Options{})
		assert.ErrorIs(t, err, spool.ErrCanceled, arg)
	}
}

// TestMemoryOfRecords: a sample costs the bytes of its key (6 here), four for its end and 18 for each input.
func TestMemoryOfRecords(t *testing.T) {
	const samples, each = 10_000, 3
	tree(t)
	var members []string
	for i := range samples {
		key := fmt.Sprintf("%06d", i)
		members = append(members, key+".jpg", "x", key+".seg.png", "y", key+".txt", "z")
	}
	pack(t, "s.tar", members...)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r := openRecords(t, "s.tar", "jpg seg.png txt", source.Options{})
	runtime.GC()
	runtime.ReadMemStats(&after)
	perSample := float64(int64(after.HeapAlloc)-int64(before.HeapAlloc)) / samples
	t.Logf("%.1f bytes a sample of %d inputs", perSample, each)
	assert.Less(t, perSample, 6+4+18*each+4.0)
	require.Equal(t, samples, r.Len())
	assert.Equal(t, []string{"x", "y", "z"}, read(t, r, samples-1, each))
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { _ = r.Item(777) }), 4.0)
	runtime.KeepAlive(r)
}
