package source_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/parquet"
	"github.com/spoolmedia/spool/source/table"
)

// inferred returns the inputs as lines: "jpg;png image 3/4", with a mark of values.
func inferred(t *testing.T, o source.Options, args ...string) []string {
	t.Helper()
	found, err := source.InferInputs(t.Context(), args, o)
	require.NoError(t, err)
	var lines []string
	for _, in := range found {
		name := in.Name
		if in.Value {
			name = "=" + name
		}
		assert.Equal(t, in.Samples < in.Examined, in.Optional)
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %d/%d %s", name, in.Kind, in.Samples, in.Examined,
			strings.Join(in.Extensions, " "))))
	}
	return lines
}

func TestInferInputsOfShards(t *testing.T) {
	b := remotely(t)
	t.Chdir(b.folder)
	pack(t, "s-0.tar", "1.jpg", "", "1.seg.png", "", "1.txt", "", "1.cls", "1", "1.score", "0.5", "1.note", "hello\n",
		"2.png", "", "2.mask.png", "", "2.box", "[1,2.5,null]", "2.meta", `{"a":1}`, "2.blob", "\x00\xff",
		"3.jpg", "", "3.depth.jpg", "", "3.mp4", "", "3.flac", "", "3.json", "{}", "3.npy", "",
		"3.big", strings.Repeat("x", 5000))
	pack(t, "s-1.tar", "1.webp", "")
	want := []string{"big bytes 1/3", "blob bytes 1/3", "box json 1/3", "cls number 1/3", "depth.jpg image 1/3",
		"flac audio 1/3", "jpg;png image 3/3", "json json 1/3", "mask.png mask 1/3", "meta json 1/3", "mp4 video 1/3",
		"note text 1/3", "npy bytes 1/3", "score number 1/3", "seg.png mask 1/3", "txt text 1/3"}
	assert.Equal(t, want, inferred(t, source.Options{}, "s-{0,1}.tar"))
	assert.Equal(t, want, inferred(t, source.Options{Remote: b}, bucketURL+"s-*.tar"))

	// Of a large shard the beginning is enough, and its last sample may be incomplete.
	pack(t, "large.tar", "1.jpg", "a", "1.txt", "b", "2.txt", "c", "2.jpg", strings.Repeat("x", 17<<20), "3.png", "")
	assert.Equal(t, []string{"jpg image 1/1", "txt text 1/1"}, inferred(t, source.Options{}, "large.tar"))
	pack(t, "large.tar.gz", "1.jpg", "a", "2.jpg", strings.Repeat("x", 17<<20), "3.png", "")
	assert.Equal(t, []string{"jpg;png image 3/3"}, inferred(t, source.Options{}, "large.tar.gz"))
}

func TestInferInputsOfTables(t *testing.T) {
	tree(t)
	write(t, "t.csv", "image,mask_path,segmentation,caption,score,label,key,url,picture_url,empty,box\n"+
		"a.jpg,m/a.png,x.png,a cat,1.5,dog,k,s3://b/a.mp4,https://host/1,,\"[1, 2]\"\n"+
		"b.PNG,m/b.png,,two,-2e3,cat,k,s3://b/b.mp4,https://host/2,,\"[]\"\n")
	assert.Equal(t, []string{"image image 2/2", "mask_path mask 2/2", "segmentation mask 1/2", "=caption text 2/2",
		"=score number 2/2", "=label text 2/2", "url video 2/2", "picture_url image 2/2", "=empty text 0/2", "=box json 2/2"},
		inferred(t, source.Options{}, "t.csv"))
	write(t, "t.jsonl", `{"image":{"path":"a.jpg"},"v":[1,2],"meta":{"w":3},"n":4,"audio":"a.wav","ok":true}`+"\n")
	assert.Equal(t, []string{"audio audio 1/1", "image image 1/1", "=meta json 1/1", "=n number 1/1", "=ok json 1/1",
		"=v number 1/1"}, inferred(t, source.Options{}, "t.jsonl"))
}

// TestInferNumbers: integers stay integers, and all values of a table count.
func TestInferNumbers(t *testing.T) {
	types := func(name string, o source.Options) (lines []string) {
		found, err := source.InferInputs(t.Context(), []string{name}, o)
		require.NoError(t, err)
		for _, in := range found {
			if line := in.Name + " " + in.Kind; in.Kind == "number" {
				lines = append(lines, fmt.Sprint(line, " ", in.Type, " ", []int(in.Shape)))
			} else {
				lines = append(lines, line)
			}
		}
		return lines
	}
	data, err := filepath.Abs("lerobot/testdata/arm/data/chunk-000/file-000.parquet")
	require.NoError(t, err)
	assert.Equal(t, []string{"observation.state number float32 [3]", "observation.force json",
		"action number float32 [2]", "next.reward number float32 []", "next.done json", "note text",
		"timestamp number float32 []", "frame_index number int64 []", "episode_index number int64 []",
		"index number int64 []", "task_index number int64 []"},
		types(data, source.Options{Formats: map[string]table.Format{".parquet": parquet.Open}}))

	tree(t)
	rows := "whole,late,word,code,big,none\n" + strings.Repeat("1,2,3,007,18446744073709551615,\n", 40)
	write(t, "t.csv", rows+"-4,2.5,x,008,1,\n")
	assert.Equal(t, []string{"whole number int64 []", "late number float64 []", "word text", "code text",
		"big number float64 []", "none text"}, types("t.csv", source.Options{}))
	write(t, "t.jsonl", `{"pose":[1,2,3],"path":[1.5,2],"any":[1],"gap":[1,null],"mixed":1}`+"\n"+
		`{"pose":[4,5,6],"path":[3,4],"any":[1,2],"gap":[1,2],"mixed":[1]}`+"\n")
	assert.Equal(t, []string{"any json", "gap json", "mixed json", "path number float64 [2]", "pose number int64 [3]"},
		types("t.jsonl", source.Options{}))
	pack(t, "s.tar", "1.cls", "1", "1.score", "2\n", "1.code", "007", "2.cls", " 5", "2.score", "0.5", "2.code", "008")
	assert.Equal(t, []string{"cls number int64 []", "code text", "score number float64 []"}, types("s.tar",
		source.Options{}))
}

func TestInferInputsOfFolders(t *testing.T) {
	b := remotely(t, "images/a/1.jpg", "images/a/2.JPG", "images/3.png", "masks/a/1.png", "labels/3.png", "texts/3.txt",
		"texts/a/1.txt", "boxes/a/1.xml", "none/.x")
	want := []string{"boxes bytes 1/3 .xml", "images image 3/3 .jpg .png", "labels mask 1/3 .png", "masks mask 1/3 .png",
		"texts text 2/3 .txt"}
	assert.Equal(t, want, inferred(t, source.Options{}, b.folder))
	assert.Equal(t, want, inferred(t, source.Options{Remote: b}, bucketURL, b.folder))
}

// TestInferredInputsOpen: what was inferred can be opened.
func TestInferredInputsOpen(t *testing.T) {
	b := remotely(t, "images/1.jpg", "images/2.jpg", "masks/1.png")
	t.Chdir(b.folder)
	pack(t, "s.tar", "1.jpg", "one", "1.txt", "text", "2.png", "two", "2.seg.png", "mask")
	write(t, "t.csv", "image,caption\nimages/1.jpg,hello\n")
	for _, arg := range []string{".", "s.tar", "t.csv"} {
		found, err := source.InferInputs(t.Context(), []string{arg}, source.Options{})
		require.NoError(t, err)
		list := make([]source.Input, len(found))
		for i, in := range found {
			list[i] = in.Input
		}
		r, err := source.OpenRecords(t.Context(), []string{arg}, list, source.Options{})
		require.NoError(t, err)
		for i := range r.Len() {
			for _, text := range read(t, r, i, len(list)) {
				assert.NotContains(t, text, "! ")
			}
		}
	}
}

func TestInferInputsRefuses(t *testing.T) {
	tree(t, "flat/1.jpg", "photo.jpg")
	pack(t, "empty.tar")
	write(t, "zero.csv", "")
	write(t, "noise.tar", strings.Repeat("noise", 500))
	for arg, class := range map[string]error{"flat": spool.ErrEmpty, "photo.jpg": spool.ErrUnsupported,
		"empty.tar": spool.ErrEmpty, "zero.csv": spool.ErrEmpty, "none": spool.ErrNotFound, "none.tar": spool.ErrNotFound,
		"noise.tar": spool.ErrCorrupt, "@photo.jpg": spool.ErrUnsupported} {
		_, err := source.InferInputs(t.Context(), []string{arg}, source.Options{})
		assert.ErrorIs(t, err, class, arg)
		assert.ErrorContains(t, err, strings.TrimPrefix(arg, "@"))
	}
	_, err := source.InferInputs(t.Context(), nil, source.Options{})
	assert.ErrorIs(t, err, spool.ErrOptions)
}
