package run

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/short"
)

// fields are the flags for the records of the test media.
var fields = []string{"--field", "image=image:jpg,size=32,train=true",
	"--field", "mask=mask:seg.png,like=image", "--field", "boxes=boxes:boxes.json",
	"--field", "caption=text:txt,optional=true", "--ignore-columns", "*"}

func TestRecords(t *testing.T) {
	shards := clitest.Media + "/records/{000..001}.tar"
	args := append([]string{"run", "records", shards, "--batch", "5", "--shuffle", "--epochs", "2", "--digest"}, fields...)
	want := clitest.Digests(tool.Done(t, clitest.With(args, "--workers", "1")...))
	require.Len(t, want, 6)
	assert.Equal(t, want, clitest.Digests(tool.Done(t, clitest.With(args, "--workers", "8")...)))

	schema := filepath.Join(t.TempDir(), "schema.yaml")
	require.NoError(t, os.WriteFile(schema, []byte(`fields:
  caption: {kind: text, input: txt, optional: true}
  image: {input: jpg, size: 32, train: true}
  mask: {input: seg.png}
  boxes: {input: boxes.json}
`), 0o600))
	assert.Equal(t, want, clitest.Digests(tool.Done(t, "run", "records", shards, "--batch", "5", "--shuffle",
		"--epochs", "2", "--digest", "--schema", schema, "--ignore-columns", "*")), "the order of the fields does not matter")

	for _, other := range [][]string{{"--seed", "1"}, {"--field", "score=number:score.txt"}} {
		assert.NotEqual(t, want, clitest.Digests(tool.Done(t, clitest.With(args, other...)...)))
	}
}

func TestRecordsSheet(t *testing.T) {
	sheet := filepath.Join(t.TempDir(), "sheet.png")
	args := []string{"run", "records", clitest.Media + "/records/000.tar", "--save-first", sheet}
	tool.Done(t, append(args, fields...)...)
	f, err := os.Open(sheet)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	red := 0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if r, g, b, _ := img.At(x, y).RGBA(); r>>8 == 255 && g>>8 == 64 && b>>8 == 64 {
				red++
			}
		}
	}
	assert.Greater(t, red, 100, "edges of boxes")
}

// The objects of a file of COCO's annotations are shaded in a contact sheet, each in a color of its own.
func TestRecordsSheetOfInstances(t *testing.T) {
	folder := t.TempDir()
	const size = 64
	var photo bytes.Buffer
	require.NoError(t, png.Encode(&photo, image.NewRGBA(image.Rect(0, 0, size, size))))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.png"), photo.Bytes(), 0o600))
	file := filepath.Join(folder, "instances.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"images": [{"id": 1, "file_name": "a.png"}], "categories": [],
		"annotations": [
		{"image_id": 1, "category_id": 1, "bbox": [0, 0, 32, 64], "segmentation": [[0, 0, 32, 0, 32, 64, 0, 64]]},
		{"image_id": 1, "category_id": 1, "bbox": [40, 0, 24, 64],
		"segmentation": {"size": [64, 64], "counts": [2560, 1536]}}]}`), 0o600))
	sheet := filepath.Join(folder, "sheet.png")
	tool.Done(t, "run", "records", file, "--field", "image=image:path,size=64", "--field",
		"instances=instances,like=image", "--save-first", sheet)
	f, err := os.Open(sheet)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	const gap = 4
	left, middle, right := img.At(gap+10, gap+40), img.At(gap+36, gap+40), img.At(gap+50, gap+40)
	black := color.NRGBA{A: 255}
	assert.NotEqual(t, black, color.NRGBAModel.Convert(left))
	assert.Equal(t, black, color.NRGBAModel.Convert(middle))
	assert.NotEqual(t, black, color.NRGBAModel.Convert(right))
	assert.NotEqual(t, left, right)
}

// Clips of records are rows of a sheet.
func TestRecordsSheetOfClips(t *testing.T) {
	sheet := filepath.Join(t.TempDir(), "sheet.png")
	tool.Done(t, "run", "records", clitest.Media+"/video/bframes.mp4", clitest.Media+"/video/opengop.mp4",
		"--field", "clip=video:path,size=64,frames=5,fps=10", "--save-first", sheet)
	f, err := os.Open(sheet)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	assert.Equal(t, image.Pt(5*(64+4)+4, 2*(64+14+4)+4), img.Bounds().Size(), "2 rows of 5 frames, with gaps and captions")
}

// probe --record prints a schema that run records reads.
func TestInferredRecords(t *testing.T) {
	shard := clitest.Media + "/records/000.tar"
	schema := filepath.Join(t.TempDir(), "schema.yaml")
	text := tool.Done(t, "probe", "--record", shard)
	assert.Contains(t, text, `mask: {kind: mask, input: "seg.png", like: image} # 6 of 6 samples`)
	require.NoError(t, os.WriteFile(schema, []byte(text), 0o600))
	assert.Len(t, clitest.Digests(tool.Done(t, "run", "records", shard, "--schema", schema, "--digest")), 1)
}

// A LeRobot data set needs no schema, and probe --record prints what it has.
func TestLeRobot(t *testing.T) {
	arm := filepath.Join(clitest.Media, "../source/lerobot/testdata/arm")
	windows := []string{"run", "records", arm, "--delta", "observation.images.wrist=-0.2,0,0.4", "--delta", "action=0,0.1",
		"--shuffle", "--batch", "7", "--digest"}
	want := clitest.Digests(tool.Done(t, append(windows, "--workers", "1")...))
	assert.Len(t, want, 5)
	assert.Equal(t, want, clitest.Digests(tool.Done(t, append(windows, "--workers", "4")...)))

	schema := filepath.Join(t.TempDir(), "schema.yaml")
	text := tool.Done(t, "probe", "--record", arm)
	assert.Contains(t, text, "# LeRobot v3.0: 6 episodes, 32 frames, 10 frames a second.")
	require.NoError(t, os.WriteFile(schema, []byte(text), 0o600))
	assert.Equal(t, clitest.Digests(tool.Done(t, "run", "records", arm, "--digest", "--episodes", "2,4")),
		clitest.Digests(tool.Done(t, "run", "records", arm, "--digest", "--episodes", "2,4", "--schema", schema)))

	sheet := filepath.Join(t.TempDir(), "sheet.png")
	tool.Done(t, "run", "records", arm, "--episodes", "1", "--cameras", "size=16", "--save-first", sheet)
	assert.FileExists(t, sheet)
	o := tool.Run("run", "records", arm, "--delta", "action=0.05")
	assert.NotZero(t, o.Code)
	assert.Contains(t, o.Stderr, "--delta action: 0.05 is no multiple of 1/10")
	o = tool.Run("run", "records", clitest.Media+"/photos", "--episodes", "1", "--field", "path=image")
	assert.Contains(t, o.Stderr, "--episodes: is for a LeRobot data set")
}

func TestWrongRecords(t *testing.T) {
	shard := clitest.Media + "/records/000.tar"
	for want, args := range map[string][]string{
		"did you mean image?":   {"--field", "a=imge:jpg"},
		"NAME=KIND[:INPUT]":     {"--field", "image"},
		"did you mean seg.png?": {"--field", "image=image:jpg", "--field", "mask=mask:seg.pn"},
		"a name like sheet.png": {"--field", "image=image:jpg", "--save-first", "a.mp4"},
		"no field is a uint8 image or video": {"--field", "n=number:score.txt", "--save-first",
			filepath.Join(t.TempDir(), "a.png")},
	} {
		o := tool.Run(append([]string{"run", "records", shard}, args...)...)
		assert.NotZero(t, o.Code, args)
		assert.Contains(t, o.Stderr, want, args)
	}
}

// Each form of batches is the same for any number of workers, and a run that is stopped continues. The contact sheet
// shows images of any size.
func TestRecordForms(t *testing.T) {
	shards := clitest.Media + "/records/{000..001}.tar"
	for _, form := range short.Some([][]string{{"pad", "--form-multiple", "16", "--form-fill", "114"}, {"ragged"},
		{"bucket", "--buckets", "32x48,48x32,40"}, {"bucket"}, {"budget", "--budget-pixels", "60000"},
		{"budget", "--budget-tokens", "300", "--patch", "14", "--budget-ragged"}}, 2) {
		args := append([]string{"run", "records", shards, "--batch", "4", "--shuffle", "--epochs", "2", "--digest",
			"--field", "image=image:jpg", "--field", "mask=mask:seg.png", "--field", "boxes=boxes:boxes.json",
			"--ignore-columns", "*", "--form"}, form...)
		sheet := filepath.Join(t.TempDir(), "sheet.png")
		want := clitest.Digests(tool.Done(t, clitest.With(args, "--workers", "1", "--save-first", sheet)...))
		for _, workers := range short.Of([]string{"2", "8"}, []string{"8"}) {
			assert.Equal(t, want, clitest.Digests(tool.Done(t, clitest.With(args, "--workers", workers)...)))
		}
		assert.FileExists(t, sheet)

		state := filepath.Join(t.TempDir(), "state.json")
		begin := clitest.Digests(tool.Done(t, clitest.With(args, "--epochs", "1", "--state-out", state)...))
		rest := clitest.Digests(tool.Done(t, clitest.With(args, "--resume", state)...))
		assert.Equal(t, want, append(begin, rest...), "%v", form)
	}
}

func TestWasteIsReported(t *testing.T) {
	args := []string{"run", "records", clitest.Media + "/photos" + short.Of("", "/animal"), "--field", "image=image:path",
		"--form", "pad"}
	assert.Regexp(t, `\d\.\d% of the pixels of batches are padding`, tool.Done(t, args...))
	waste := clitest.Summarized(t, tool.Done(t, append(args, "--json")...)).Waste
	require.NotNil(t, waste)
	assert.InDelta(t, waste.Share, float64(waste.Padding)/float64(waste.Pixels), 1e-9)
	waste = clitest.Summarized(t, tool.Done(t, "run", "records", clitest.Media+"/photos", "--field",
		"image=image:path,size=224,mode=fit", "--form", "bucket", "--json")).Waste
	require.NotNil(t, waste)
	assert.Less(t, waste.Share, 0.1, "photos fit the default buckets")
}

func TestWrongForms(t *testing.T) {
	shard := clitest.Media + "/records/000.tar"
	for want, args := range map[string][]string{
		"--form bucket and --rank need --rest uneven": {"--form", "bucket", "--rank", "0", "--world", "2"},
		"--form pad needs --order exact":              {"--form", "pad", "--order", "any"},
		"--budget-pixels needs --form budget":         {"--form", "pad", "--budget-pixels", "9"},
		"--form budget needs --budget-pixels":         {"--form", "budget"},
		"a bad sample has no size":                    {"--form", "ragged", "--on-error", "placeholder"},
		"--buckets 0x5: width and":                    {"--form", "bucket", "--buckets", "0x5"},
		"dense, pad, patches or ragged":               {"--form", "patch"},
	} {
		o := tool.Run(append([]string{"run", "records", shard, "--field", "image=image:jpg"}, args...)...)
		assert.Equal(t, 2, o.Code, args)
		assert.Contains(t, o.Stderr, want)
	}
}
