package settings_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/internal/yamljson"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/record/annotation"
	"github.com/spoolmedia/spool/source"
)

// schema reads fields from JSON.
func schema(t testing.TB, text string) (record.Schema, error) {
	t.Helper()
	s := settings.Set{YAML: yamljson.Convert}
	l := s.LoadRecords()
	s.JSON([]byte(text))
	l.Judge(&s, []string{"x"})
	return l.Schema(), s.Err()
}

// The same fields as flags, as JSON and in a file.
func TestFields(t *testing.T) {
	var flags settings.Set
	set := map[string]*settings.Setting{}
	flags.Defined = func(s *settings.Setting) { set[s.Name] = s }
	l := flags.LoadRecords()
	for _, text := range []string{
		"image=image:jpg;png,size=64x32,mean=0.1,0.2,0.3,std=0.5,dtype=float32,views=2,flip_x=0.5",
		"mask=mask:seg.png,like=image,fill=255", "boxes=boxes,format=xywh,min-size=2", "caption=text:txt,optional=true",
		"pose=number,dtype=int64,shape=2,3", "raw=bytes:bin", "objects=instances:json,boxes=boxes"} {
		require.NoError(t, set["field"].Set(text))
	}
	assert.NotContains(t, set, "fields", "the key has no flag")
	l.Judge(&flags, []string{"x"})
	require.NoError(t, flags.Err())
	got := l.Schema()
	require.Len(t, got, 7)
	image := got[0].Kind.(record.Image)
	assert.Equal(t, 2, image.Views)
	assert.Equal(t, 64, image.Spec.Resize.Width)
	assert.Equal(t, 32, image.Spec.Resize.Height)
	assert.Equal(t, []float32{0.1, 0.2, 0.3}, image.Spec.Mean)
	assert.Equal(t, 0.5, image.Augment.FlipX)
	assert.Equal(t, "jpg;png", got[0].Input)
	assert.Equal(t, record.Mask{Like: "image", Fill: 255}, got[1].Kind)
	assert.Equal(t, record.Boxes{Like: "image", Format: annotation.XYWH, MinSize: 2, MinArea: 1}, got[2].Kind)
	assert.Equal(t, record.Field{Name: "caption", Input: "txt", Optional: true, Kind: record.Text{}}, got[3])
	assert.Equal(t, record.Number{DType: spool.Int64, Shape: spool.Shape{2, 3}}, got[4].Kind)

	assert.Equal(t, record.Instances{Like: "image", Boxes: "boxes"}, got[6].Kind)

	const fields = `"image": {"kind": "image", "input": "jpg;png", "size": "64x32", "mean": [0.1, 0.2, 0.3], "std": 0.5,
		"dtype": "float32", "views": 2, "flip_x": 0.5},
		"mask": {"kind": "mask", "input": "seg.png", "like": "image", "fill": 255},
		"boxes": {"format": "xywh", "min_size": 2}, "caption": {"kind": "text", "input": "txt", "optional": true},
		"pose": {"kind": "number", "dtype": "int64", "shape": [2, 3]}, "raw": {"kind": "bytes", "input": "bin"},
		"objects": {"kind": "instances", "input": "json", "boxes": "boxes"}`
	fromJSON, err := schema(t, `{"fields": {`+fields+`}}`)
	require.NoError(t, err)
	assert.Equal(t, got, fromJSON)

	file := filepath.Join(t.TempDir(), "schema.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`{"fields": {`+fields+"}}"), 0o600))
	var other settings.Set
	fromFile := other.LoadRecords()
	other.JSON([]byte(`{"schema": "` + file + `"}`))
	fromFile.Judge(&other, []string{"x"})
	require.NoError(t, other.Err())
	assert.Equal(t, got, fromFile.Schema(), "JSON needs no converter")

	require.NoError(t, os.WriteFile(file, []byte("fields:\n  image: {size: 8}\n"), 0o600))
	var third settings.Set
	third.LoadRecords()
	third.JSON([]byte(`{"schema": "` + file + `"}`))
	assert.ErrorContains(t, third.Err(), "must be JSON")
}

func TestTrainingFields(t *testing.T) {
	got, err := schema(t, `{"fields": {"a": {"kind": "image", "size": 8, "train": true},
		"b": {"kind": "image", "size": 8, "train": true, "random_scale": [0.2, 0.4], "flip_x": 0}}, "views": 3}`)
	require.NoError(t, err)
	a, b := got[0].Kind.(record.Image), got[1].Kind.(record.Image)
	assert.Equal(t, settings.Training(), a.Augment)
	assert.Equal(t, 3, a.Views)
	assert.Equal(t, [2]float64{0.2, 0.4}, b.Augment.ResizedCrop.Scale)
	assert.Zero(t, b.Augment.FlipX)
	assert.Equal(t, decode.RGB, a.Spec.Color)
}

// Options of video and audio fields, with times of columns and constant ones.
func TestMediaFields(t *testing.T) {
	got, err := schema(t, `{"fields": {
		"wrist": {"kind": "video", "input": "cam/path", "size": 64, "start": "from", "end": 2.5, "at": "timestamp",
			"times": [-0.1, 0], "tolerance": 1e-4, "pad": "fill", "stream": "camera"},
		"clip": {"kind": "video", "train": true, "clips": 2, "fps": 8, "frames": 4, "size": 32},
		"sound": {"kind": "audio", "input": "path", "like": "clip", "rate": 8000, "channels": 2, "duration": 0.5,
			"stream": 2}}}`)
	require.NoError(t, err)
	wrist, clip := got[0].Kind.(record.Video), got[1].Kind.(record.Video)
	assert.Equal(t, record.Time{Input: "from"}, wrist.Start)
	assert.Equal(t, record.Time{Seconds: 2.5}, wrist.End)
	assert.Equal(t, record.Time{Input: "timestamp"}, wrist.At)
	assert.Equal(t, []float64{-0.1, 0}, wrist.Times)
	assert.Equal(t, 1e-4, wrist.Tolerance)
	assert.Equal(t, record.PadFill, wrist.Pad)
	assert.True(t, clip.Random)
	assert.NotNil(t, clip.Augment.ResizedCrop)
	assert.Equal(t, 8.0, clip.FPS)
	sound := got[2].Kind.(record.Audio)
	assert.Equal(t, 4000, sound.Spec.Length)
	assert.Equal(t, "clip", sound.Like)
	assert.Equal(t, "camera", wrist.Stream)
	assert.Equal(t, 2, *sound.Open.Stream)
}

func TestWrongFields(t *testing.T) {
	for text, want := range map[string]string{
		`{"fields": {"image": {"kind": "imag"}}}`:                          "did you mean image?",
		`{"fields": {"image": {"sise": 3}}}`:                               "did you mean size?",
		`{"fields": {"video": {"pad": "reflect"}}}`:                        "must be fill, loop, refuse or repeat",
		`{"fields": {"video": {"fps": -1}}}`:                               "must be a number above 0",
		`{"fields": {"video": {"times": [0, 1], "stride": 2}}}`:            "excludes",
		`{"fields": {"audio": {"rate": 8000}}}`:                            "duration: must be set, as the audio of a batch needs one length",
		`{"fields": {"video": {}, "audio": {"duration": 1, "like": "v"}}}`: "no field has this name",
		`{"fields": {"image": {"size": 8}, "mask": {"like": "b"}}}`:        "like=b: no field has this name",
		`{"fields": {"image": {"resize_shorter": 8}}}`:                     "size, resize_shorter, max_size and crop: must give all images of a batch",
		`{"fields": {"video": {"resize_shorter": 8}}}`:                     "size, resize_shorter, max_size and crop: must give all frames of a batch",
		`{"fields": {"image": {}, "mask": {"fill": 256}}}`:                 "at most 255",
		`{"fields": {"image": {}, "n": {"kind": "number", "shape": 0}}}`:   "numbers from 1 up",
		`{"fields": [1]}`:                     "an object for each field",
		`{"fields": {"t": {"kind": "text"}}}`: "at least one field of a fixed size",
		`{"schema": "/none.yaml"}`:            "no such file",
		`{}`:                                  "at least one field",
		`{"fields": {"image": {}}, "streaming": true, "form": "bucket"}`: "streaming",
	} {
		_, err := schema(t, text)
		assert.ErrorContains(t, err, want, text)
	}
}

// Columns are fields after the others.
func TestColumnsOfRecords(t *testing.T) {
	got, err := schema(t, `{"fields": {"image": {"size": 8}, "x": {"kind": "column", "input": "y"}}, "columns": ["lang", "w"]}`)
	require.NoError(t, err)
	require.Len(t, got, 4)
	assert.Equal(t, record.Schema{{Name: "x", Input: "y", Kind: record.Column{}},
		{Name: "lang", Optional: true, Kind: record.Column{}}, {Name: "w", Optional: true, Kind: record.Column{}}}, got[1:])
}

// A field that cannot be read is the only problem, though the schema lacks it.
func TestOneWrongField(t *testing.T) {
	for text, want := range map[string]string{
		`{"fields": {"image": {"sise": 3}}}`:                                "field image: unknown option: sise",
		`{"fields": {"image": {"kind": "imag"}, "mask": {}}}`:               "field image: kind",
		`{"fields": {"image": {"size": "x"}, "caption": {"kind": "text"}}}`: "field image: size=x",
		`{"fields": 1}`:            "must be an object",
		`{"schema": "/none.yaml"}`: "no such file",
		`{"field": "image"}`:       "must be of the form",
	} {
		_, err := schema(t, text)
		var problems settings.Problems
		require.ErrorAs(t, err, &problems, text)
		require.Len(t, problems, 1, text)
		assert.Contains(t, problems[0], want, text)
	}
}

func TestInferredSchema(t *testing.T) {
	in := func(name, kind string, optional bool) source.InferredInput {
		return source.InferredInput{Input: source.Input{Name: name, Optional: optional}, Kind: kind, Samples: 3, Examined: 4}
	}
	text := settings.InferredSchema([]source.InferredInput{in("jpg;png", "image", false), in("left.png", "image", false),
		in("seg.png", "mask", false), in("mp4", "video", false), in("wav", "audio", false), in("tar", "other", false),
		in("0.txt", "text", true), in("0_txt", "text", true)})
	assert.Equal(t, `fields:
  image: {kind: image, input: "jpg;png", size: 224} # 3 of 4 samples
  left_png: {kind: image, input: "left.png", size: 224} # 3 of 4 samples
  mask: {kind: mask, input: "seg.png", like: image} # 3 of 4 samples
  mp4: {kind: video, input: "mp4", size: 224, frames: 16} # 3 of 4 samples
  wav: {kind: audio, input: "wav", rate: 16000, duration: 10} # 3 of 4 samples
  # tar: {kind: other, input: "tar"} has no field yet
  _0_txt: {kind: text, input: "0.txt", optional: true} # 3 of 4 samples
  _0_txt_2: {kind: text, input: "0_txt", optional: true} # 3 of 4 samples
`, text)
	file := filepath.Join(t.TempDir(), "schema.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	got, err := schema(t, `{"schema": "`+file+`"}`)
	require.NoError(t, err)
	assert.Len(t, got, 7)
}
