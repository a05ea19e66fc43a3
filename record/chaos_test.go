package record_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/record/annotation"
	"github.com/spoolmedia/spool/resize"
)

// chaos makes random schemas, and records for them.
type chaos struct {
	*rand.Rand
	photo, mask, clip, sound []byte
}

func newChaos(t testing.TB) *chaos {
	t.Helper()
	read := func(name string) []byte {
		data, err := os.ReadFile(media + "/" + name)
		require.NoError(t, err)
		return data
	}
	return &chaos{Rand: seed.Rand(t), photo: read("photos/animal/03.jpg"), mask: gray(90, 70),
		clip: read("video/bframes.mp4"), sound: read("audio/flac.flac")}
}

// some returns one of several values.
func some[T any](c *chaos, all ...T) T { return all[c.IntN(len(all))] }

// schema returns a random valid schema and the inputs of a good record.
func (c *chaos) schema() (record.Schema, map[string]any) {
	size := resize.Spec{Width: 8 + c.IntN(40), Height: 8 + c.IntN(40),
		Mode: some(c, resize.Stretch, resize.Fit, resize.Cover)}
	augment := some(c, resize.Augment{}, training)
	views := c.IntN(4)
	s := record.Schema{{Name: "image", Kind: record.Image{Views: views, Augment: augment, Spec: image.Spec{Resize: size,
		Color: some(c, decode.RGB, decode.Gray), Layout: some(c, spool.HWC, spool.CHW)}}}}
	values := map[string]any{"image": c.photo}
	add := func(f record.Field, input any) {
		if c.IntN(2) == 0 {
			f.Optional = c.IntN(3) == 0
			s, values[f.Name] = append(s, f), input
		}
	}
	add(record.Field{Name: "mask", Kind: record.Mask{Like: "image", Fill: 7}}, c.mask)
	add(record.Field{Name: "boxes", Kind: record.Boxes{Like: "image", Format: some(c, annotation.XYXY, annotation.XYWH)}},
		[]byte(`{"boxes": [[1, 2, 30, 40], [5, 5, 60, 50]], "labels": [3, 4]}`))
	add(record.Field{Name: "points", Kind: record.Points{Like: "image"}}, []byte(`[[1, 2], [30, 40]]`))
	objects := record.Instances{Like: "image"}
	if i := s.Find("boxes"); i >= 0 && !s[i].Optional && c.IntN(2) == 0 {
		objects.Boxes = "boxes"
	}
	add(record.Field{Name: "objects", Kind: objects}, []byte(`[{"category_id": 1, "segmentation": [[1, 2, 9, 9, 3, 8]]},
		{"category_id": 2, "segmentation": {"size": [194, 224], "counts": [99, 43357]}}]`))
	add(record.Field{Name: "text", Kind: record.Text{}}, []byte("a text"))
	add(record.Field{Name: "meta", Kind: record.JSON{}}, []byte(`{"a": [1, 2]}`))
	add(record.Field{Name: "pose", Kind: record.Number{DType: some(c, spool.Float32, spool.Float64, spool.Int64),
		Shape: spool.Shape{3}}}, []byte("[1, 2, 3]"))
	clip := record.Video{Spec: video.Spec{Resize: resize.Spec{Width: 16, Height: 12}}, Frames: 1 + c.IntN(5),
		Clips: c.IntN(3), Augment: some(c, resize.Augment{}, training), Start: some(c, record.Time{},
			record.Time{Seconds: 0.4}, record.Time{Input: "start"}), Pad: record.Pad(c.IntN(3))}
	switch c.IntN(4) {
	case 0:
		clip.Stride = 1 + c.IntN(9)
	case 1:
		clip.FPS = 5 + c.Float64()*30
	case 2:
		clip.Random = true
	}
	values["start"] = fmt.Appendf(nil, "%v", c.Float64())
	if c.IntN(2) == 0 {
		s, values["clip"] = append(s, record.Field{Name: "clip", Kind: clip}), c.clip
		add(record.Field{Name: "sound", Kind: record.Audio{Like: "clip",
			Spec: audio.Spec{Rate: 8000, Channels: 1 + c.IntN(2), Length: 1 + c.IntN(3000)}}}, c.sound)
	}
	return s, values
}

// harm damages some of the inputs: they are cut, have other bytes, are empty, or are absent.
func (c *chaos) harm(values map[string]any) map[string]any {
	names := slices.Sorted(maps.Keys(values))
	harmed := map[string]any{}
	for _, name := range names {
		harmed[name] = values[name]
	}
	for range 1 + c.IntN(3) {
		name := some(c, names...)
		data := slices.Clone(values[name].([]byte))
		switch c.IntN(5) {
		case 0:
			delete(harmed, name)
		case 1:
			harmed[name] = []byte{}
		case 2:
			harmed[name] = data[:c.IntN(len(data))]
		default:
			for range 1 + c.IntN(20) {
				data[c.IntN(len(data))] = byte(c.Uint32())
			}
			harmed[name] = data
		}
	}
	return harmed
}

// training is random geometry.
var training = resize.Augment{ResizedCrop: new(resize.RandomResizedCrop), FlipX: 0.5}

// needs are the inputs that the arrays of a field depend on.
var needs = map[string][]string{"image": {"image"}, "mask": {"mask", "image"}, "pose": {"pose"},
	"clip": {"clip", "start"}, "sound": {"sound", "clip", "start"}}

// Random schemas with random faults give the bytes of a record without faults, or an error that names a field. The same
// record gives the same, with open videos and without. TestMain finds what leaks.
func TestRandomSchemasWithFaults(t *testing.T) {
	cases := 400
	switch {
	case os.Getenv("SPOOL_EXPLORE") != "": // set by make explore
		cases = 10_000
	case testing.Short():
		cases = 60
	}
	c := newChaos(t)
	set := newDecoders(t)
	open := openFiles(t, record.OpenFilesOptions{Max: 3})
	good, bad := 0, 0
	for n := range cases {
		s, values := c.schema()
		by := order.Draw{Seed: 5, ID: uint64(n)}
		want, err := decodeAll(t, set, nil, s, values, by)
		if err != nil { // a window that begins after the last frame
			require.ErrorIs(t, err, spool.ErrNoSuchFrame, "%+v", s)
			continue
		}
		same, err := decodeAll(t, set, open, s, values, by)
		require.NoError(t, err)
		require.Equal(t, want, same, "%+v", s)
		harmed := c.harm(values)
		got, err := decodeAll(t, set, open, s, harmed, by)
		if err != nil {
			bad++
			_, named := errors.AsType[*record.FieldError](err)
			require.True(t, named, "%v", err)
			require.NotEmpty(t, spool.ClassOf(err), "%v", err)
			continue
		}
		good++
		again, err := decodeAll(t, set, nil, s, harmed, by)
		require.NoError(t, err)
		require.Equal(t, got, again, "%+v", s)
		for name, array := range got.arrays { // what does not depend on harmed inputs is as before
			field, _, _ := strings.Cut(name, ".")
			whole := !slices.ContainsFunc(needs[field], func(input string) bool {
				data, found := harmed[input].([]byte)
				return !found || !bytes.Equal(data, values[input].([]byte))
			})
			if whole {
				require.Equal(t, want.arrays[name], array, "%s of %+v", name, s)
			}
		}
	}
	assert.Greater(t, bad, cases/4)
	assert.Greater(t, good, cases/50)
}
