package record_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode"
	decodeimage "github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/record/annotation"
	"github.com/spoolmedia/spool/resize"
)

// things returns n random annotations of an image, as COCO writes them.
func things(c *chaos, n, width, height int) []byte {
	var list []string
	for i := range n {
		x, y := c.Float64()*float64(width), c.Float64()*float64(height)
		w, h := 1+c.Float64()*float64(width)/2, 1+c.Float64()*float64(height)/2
		area := fmt.Sprintf("[[%f,%f,%f,%f,%f,%f,%f,%f]]", x, y, x+w, y+h/3, x+w/2, y+h, x, y+h/2)
		if i%3 == 2 {
			first := c.IntN(width * height)
			length := c.IntN(width*height - first)
			area = fmt.Sprintf(`{"size":[%d,%d],"counts":[%d,%d,%d]}`, height, width, first, length, width*height-first-length)
		}
		list = append(list, fmt.Sprintf(`{"category_id":%d,"bbox":[%f,%f,%f,%f],"segmentation":%s}`, i+1, x, y, w, h, area))
	}
	return []byte("[" + strings.Join(list, ",") + "]")
}

// TestInstances compares masks with those of the decoder, which reads each object's mask as an image.
func TestInstances(t *testing.T) {
	c := newChaos(t)
	set := newDecoders(t)
	const width, height = 90, 70
	photo := gray(width, height)
	cases, removed := 400, 0
	if testing.Short() {
		cases = 50
	}
	for n := range cases {
		spec := resize.Spec{Width: 1 + c.IntN(120), Height: 1 + c.IntN(120),
			Mode: some(c, resize.Stretch, resize.Fit, resize.Cover), FlipX: c.IntN(2) == 0, FlipY: c.IntN(2) == 0}
		augment := some(c, resize.Augment{}, training)
		switch c.IntN(4) {
		case 0:
			spec = resize.Spec{Shorter: 30 + c.IntN(60), CropWidth: 20 + c.IntN(90), CropHeight: 20 + c.IntN(90)}
			augment = resize.Augment{}
			if max(spec.CropWidth, spec.CropHeight) < 60 {
				augment.Crop = &resize.RandomCrop{Padding: resize.Padding{Left: 19, Top: 19, Right: 19, Bottom: 19}}
			}
		case 1:
			spec.Box = resize.Rect{Left: c.IntN(30), Top: c.IntN(30), Width: 1 + c.IntN(60), Height: 1 + c.IntN(40)}
			augment = resize.Augment{}
		}
		count := c.IntN(6)
		annotations := things(c, count, width, height)
		s := record.Schema{
			{Name: "image", Kind: record.Image{Spec: decodeimage.Spec{Resize: spec}, Augment: augment, Views: 2}},
			{Name: "kept", Input: "all", Kind: record.Instances{Like: "image", Boxes: "boxes"}},
			{Name: "all", Kind: record.Instances{Like: "image"}},
			{Name: "boxes", Input: "all", Kind: record.Boxes{Like: "image", MinSize: 3}}}
		values := map[string]any{"image": photo, "all": annotations}
		list, err := annotation.ParseCOCO(annotations)
		require.NoError(t, err)
		masks := make([]byte, count*width*height)
		require.NoError(t, annotation.InstanceMasks(masks, list, width, height))
		for i := range count {
			mask := &image.Gray{Pix: masks[i*width*height:][:width*height], Stride: width, Rect: image.Rect(0, 0, width, height)}
			var file bytes.Buffer
			require.NoError(t, png.Encode(&file, mask))
			name := fmt.Sprint("mask", i)
			s = append(s, record.Field{Name: name, Kind: record.Mask{Like: "image"}})
			values[name] = file.Bytes()
		}
		d, err := decodeAll(t, set, nil, s, values, order.Draw{Seed: 3, ID: uint64(n)})
		require.NoError(t, err, "%+v", s[0])
		of := map[string]batch.Value{}
		for _, v := range d.Values {
			of[v.Field] = v
		}
		for view := range 2 {
			in := func(field string) string { return fmt.Sprintf("%s.%d", field, view) }
			var all []byte
			for i := range count {
				all = append(all, d.arrays[in(fmt.Sprint("mask", i))]...)
			}
			shape := of[in("all")].Desc.Shape
			require.Equal(t, count, shape[0])
			require.Equal(t, len(d.arrays[in("image")]), 3*shape[1]*shape[2])
			require.True(t, bytes.Equal(all, of[in("all")].Data), "%+v", s[0])
			size := shape[1] * shape[2]
			kept := of[in("boxes")+".index"].Data
			var want []byte
			for k := range len(kept) / 8 {
				i := int(binary.NativeEndian.Uint64(kept[8*k:]))
				want = append(want, all[i*size:(i+1)*size]...)
			}
			require.Equal(t, spool.Shape{len(kept) / 8, shape[1], shape[2]}, of[in("kept")].Desc.Shape)
			require.True(t, bytes.Equal(want, of[in("kept")].Data), "%+v", s[0])
			removed += count - len(kept)/8
		}
	}
	assert.Positive(t, removed)
}

func TestInstancesErrors(t *testing.T) {
	spec := decodeimage.Spec{Resize: resize.Spec{Width: 20, Height: 20}}
	s := record.Schema{{Name: "image", Kind: record.Image{Spec: spec}}, {Name: "other", Kind: record.Image{Spec: spec}},
		{Name: "boxes", Kind: record.Boxes{Like: "other"}},
		{Name: "maybe", Optional: true, Kind: record.Boxes{Like: "image"}},
		{Name: "objects", Kind: record.Instances{Like: "image"}}}
	for boxes, text := range map[string]string{"none": "no field has this name", "image": "are no boxes",
		"boxes": "follow other", "maybe": "are optional"} {
		s[4].Kind = record.Instances{Like: "image", Boxes: boxes}
		require.ErrorContains(t, s.Validate(), "field objects: invalid options: Boxes "+boxes+": "+text)
	}
	s = record.Schema{s[0], {Name: "boxes", Kind: record.Boxes{Like: "image", KeepAll: true}},
		{Name: "objects", Kind: record.Instances{Like: "image", Boxes: "boxes"}}}
	set := newDecoders(t)
	values := map[string]any{"image": gray(90, 70), "boxes": []byte("[[1,2,30,40],[1,2,3,4]]")}
	for text, class := range map[string]spool.Class{
		`[{"category_id":1}]`: spool.ErrCorrupt,
		`{}`:                  spool.ErrCorrupt,
		`[{"category_id":1,"segmentation":{"size":[90,70],"counts":[6300]}},{"category_id":1}]`: spool.ErrCorrupt,
	} {
		values["objects"] = []byte(text)
		_, err := decodeAll(t, set, nil, s, values, order.Draw{})
		require.ErrorIs(t, err, class)
		require.ErrorContains(t, err, "field objects: ")
	}
	few, err := decoders.New(decoders.Options{Limits: decode.Limits{MaxMemory: 1 << 20}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, few.Close()) })
	values["objects"] = []byte("[" + strings.Repeat(`{"category_id":1},`, 1<<20/400) + `{"category_id":1}]`)
	s[2].Kind = record.Instances{Like: "image"}
	_, err = decodeAll(t, few, nil, s, values, order.Draw{})
	require.ErrorIs(t, err, spool.ErrTooLarge)
	require.ErrorContains(t, err, "2622 masks of 20x20")
}
