package loader_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode"
	spoolimage "github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/resize"
)

// pictures are records of an image and its mask, of random sizes. Samples of bad have no header; those of torn end in
// the middle of the pixels.
type pictures struct {
	rows
	sizes     []loader.Size
	bad, torn map[int]bool
}

func newPictures(t testing.TB, n int, faults bool) pictures {
	t.Helper()
	r := rand.New(rand.NewPCG(11, 12))
	p := pictures{bad: map[int]bool{}, torn: map[int]bool{}}
	for i := range n {
		size := loader.Size{Width: 5 + r.IntN(40), Height: 5 + r.IntN(40)}
		img := image.NewNRGBA(image.Rect(0, 0, size.Width, size.Height))
		for k := range img.Pix {
			img.Pix[k] = byte(r.UintN(256)) | byte(k&3/3*255) // opaque
		}
		data, mask := encoded(t, img), labels(t, r, size.Width, size.Height)
		if faults && i%7 == 3 {
			p.bad[i], data = true, []byte("no picture at all")
		}
		if faults && i%9 == 4 && !p.bad[i] {
			p.torn[i], data = true, data[:len(data)/2]
		}
		p.rows, p.sizes = append(p.rows, [][]byte{data, mask}), append(p.sizes, size)
	}
	return p
}

func (p pictures) good(i int) bool { return !p.bad[i] && !p.torn[i] }

// pictureSchema has an image with a spec, and its mask.
func pictureSchema(spec spoolimage.Spec, a resize.Augment) record.Schema {
	return record.Schema{{Name: "image", Kind: record.Image{Spec: spec, Augment: a}},
		{Name: "mask", Kind: record.Mask{Like: "image", Fill: 255}}}
}

// forms are one of each form, with the spec of its images.
var forms = []struct {
	loader.Form
	spec spoolimage.Spec
}{
	{loader.Form{Kind: loader.FormPad, Fill: 7}, spoolimage.Spec{}},
	{loader.Form{Kind: loader.FormPad, Multiple: 16, Fill: -1.5}, spoolimage.Spec{Layout: spool.CHW,
		DType: spool.Float32, Mean: []float32{0.5}, Std: []float32{0.25}}},
	{loader.Form{Kind: loader.FormRagged}, spoolimage.Spec{}},
	{loader.Form{Kind: loader.FormRagged}, spoolimage.Spec{Layout: spool.CHW, Resize: resize.Spec{Shorter: 9}}},
	{loader.Form{Kind: loader.FormBudget, Pixels: 5000}, spoolimage.Spec{Layout: spool.CHW}},
	{loader.Form{Kind: loader.FormBudget, Tokens: 60, Patch: 8, Ragged: true}, spoolimage.Spec{}},
	{loader.Form{Kind: loader.FormBucket, Multiple: 4}, spoolimage.Spec{Resize: resize.Spec{Width: 24, Height: 24,
		Mode: resize.Fit}}},
	{loader.Form{Kind: loader.FormBucket, Buckets: []loader.Size{{Width: 16, Height: 24}, {Width: 24, Height: 16},
		{Width: 32, Height: 32}, {Width: 8, Height: 8}}}, spoolimage.Spec{Layout: spool.CHW,
		Resize: resize.Spec{Mode: resize.Cover}}},
	{loader.Form{Kind: loader.FormPatches, Patch: 4, Merge: 2, Frames: 2, Tokens: 300}, spoolimage.Spec{Layout: spool.CHW,
		DType: spool.BFloat16, Resize: resize.Spec{Snap: resize.Snap{Multiple: 8, MaxPixels: 1000}}}},
}

func formName(f loader.Form) string { return fmt.Sprintf("%v %v %v", f.Kind, f.Ragged, f.Buckets) }

// own returns the elements of a sample in an array without its padding, and those of the padding.
func own(b *batch.Batch, f, i int) (pixels, padding []byte) {
	slot, shape, inner := b.SampleBytes(f, i), b.Fields()[f].Sample.Shape, b.SampleDesc(f, i).Shape
	if !b.Varies(f) || b.Ragged(f) {
		return slot, nil
	}
	elem := b.FieldDesc(f).DType.Size()
	n, _ := shape.Elems()
	for at := range n {
		inside := true
		for d, rest := len(shape)-1, at; d >= 0; d-- {
			inside = inside && rest%shape[d] < inner[d]
			rest /= shape[d]
		}
		value := slot[at*elem : (at+1)*elem]
		if inside {
			pixels = append(pixels, value...)
		} else {
			padding = append(padding, value...)
		}
	}
	return pixels, padding
}

// Each sample has the bytes of the image decoder for its spec, and of the mask decoded to the same size.
func TestFormsHaveTheDecodersPixels(t *testing.T) {
	src := newPictures(t, 40, false)
	d, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	for _, f := range forms {
		t.Run(formName(f.Form), func(t *testing.T) {
			if f.Kind == loader.FormPatches {
				return // TestPatches of package batch
			}
			seen := 0
			_, err := loadRecords(t, src, loader.RecordOptions{Schema: pictureSchema(f.spec, resize.Augment{}), Form: f.Form,
				Options: loader.Options{Batch: 6}}, func(b *batch.Batch) bool {
				for i, s := range b.Samples {
					seen++
					spec, maskSpec := f.spec, spoolimage.Spec{Color: decode.Gray, Resize: f.spec.Resize}
					if f.Kind == loader.FormBucket {
						shape := b.SampleDesc(0, i).Shape
						if spec.Layout == spool.CHW {
							shape = shape[1:]
						}
						spec.Resize.Width, spec.Resize.Height = shape[1], shape[0]
						maskSpec.Resize = spec.Resize
					}
					maskSpec.Resize.Filter, maskSpec.Resize.PadColor = resize.NearestFloor, [3]uint8{255, 255, 255}
					for field, want := range []spoolimage.Spec{spec, maskSpec} {
						buffer, report, err := d.Images.Decode(t.Context(), spool.Bytes{Data: src.rows[s.ID][field]}, want)
						require.NoError(t, err)
						pixels, padding := own(b, field, i)
						require.True(t, bytes.Equal(buffer.Bytes(), pixels), "field %d of sample %d", field, s.ID)
						n, _ := b.SampleDesc(field, i).Shape.Elems()
						decoded, _ := report.Desc.Shape.Elems()
						require.Equal(t, decoded, n)
						buffer.Release()
						checkPadding(t, f.Form, b, field, padding)
					}
				}
				return true
			})
			require.NoError(t, err)
			assert.Equal(t, 40, seen)
		})
	}
}

// checkPadding checks the bytes of the padding of a sample.
func checkPadding(t testing.TB, f loader.Form, b *batch.Batch, field int, padding []byte) {
	t.Helper()
	value := []byte{byte(int(f.Fill))}
	switch {
	case field == 1:
		value = []byte{255}
	case b.FieldDesc(field).DType == spool.Float32:
		value = []byte{0, 0, 0xc0, 0xbf} // -1.5
	}
	require.True(t, bytes.Equal(bytes.Repeat(value, len(padding)/len(value)), padding))
}

// formRun is what a loader of records delivered until it was stopped.
type formRun struct {
	digests []string
	ids     [][]int64
	states  []loader.State
}

// runForm runs a loader for most batches, 0 for all.
func runForm(t testing.TB, src pictures, o loader.RecordOptions, most int) (run formRun) {
	t.Helper()
	run.digests = []string{}
	ld, err := loader.Records(src, o)
	require.NoError(t, err)
	for b, err := range ld.Batches(t.Context()) {
		if spool.ClassOf(err) == spool.ErrEmpty { // only bad samples are left
			break
		}
		require.NoError(t, err)
		var ids []int64
		h := sha256.New()
		fmt.Fprintln(h, b.Epoch, b.Index, b.Padded)
		for f := range b.Fields() {
			fmt.Fprintln(h, b.FieldDesc(f))
			h.Write(b.FieldBytes(f))
			for i := range b.Samples {
				fmt.Fprintln(h, b.SampleDesc(f, i))
			}
		}
		for _, s := range b.Samples {
			fmt.Fprintln(h, s.ID, s.Place, s.Occurrence, s.Padding, s.Crop)
			ids = append(ids, s.ID)
		}
		state, err := ld.State()
		require.NoError(t, err)
		text, err := json.Marshal(state)
		require.NoError(t, err)
		state, err = loader.ParseState(text)
		require.NoError(t, err)
		run.digests, run.ids = append(run.digests, fmt.Sprintf("%x", h.Sum(nil))), append(run.ids, ids)
		run.states = append(run.states, state)
		b.Release()
		if len(run.digests) == most {
			break
		}
	}
	require.NoError(t, ld.Close())
	return run
}

// Batches are the same for any number of workers, and a run that is stopped after any batch continues with the rest.
func TestFormsResume(t *testing.T) {
	src := newPictures(t, short.Of(60, 30), true)
	for n, f := range forms {
		for i, last := range []batch.Last{batch.Keep, batch.Drop, batch.Pad} {
			if last == batch.Pad && (f.Kind == loader.FormBudget || f.Tokens > 0) || testing.Short() && i%2 != n%2 {
				continue
			}
			t.Run(fmt.Sprint(formName(f.Form), last), func(t *testing.T) {
				augment := resize.Augment{FlipX: 0.5}
				if n%2 == 1 {
					augment = training
				}
				o := loader.RecordOptions{Schema: pictureSchema(f.spec, augment), Form: f.Form,
					Options: loader.Options{Batch: 4, Shuffle: true, Seed: 5, Epochs: 2, Workers: 1, Last: last}}
				want := runForm(t, src, o, 0)
				for _, workers := range short.Of([]int{2, 8}, []int{8}) {
					o.Workers = workers
					require.Equal(t, want.digests, runForm(t, src, o, 0).digests)
				}
				for k := 0; k < len(want.states); k += short.Of(1, 7) {
					o.Resume = []loader.State{want.states[k]}
					require.Equal(t, want.digests[k+1:], runForm(t, src, o, 0).digests, "after batch %d", k)
				}
			})
		}
	}
}

// A run that is stopped and resumed many times is the whole run.
func TestFormsResumeManyTimes(t *testing.T) {
	src := newPictures(t, short.Of(60, 24), true)
	for _, f := range forms {
		t.Run(formName(f.Form), func(t *testing.T) {
			o := loader.RecordOptions{Schema: pictureSchema(f.spec, training), Form: f.Form,
				Options: loader.Options{Batch: 3, Shuffle: true, Epochs: 2, Workers: 2}}
			want := runForm(t, src, o, 0)
			var got []string
			for step := 1; ; step = step%3 + 1 {
				part := runForm(t, src, o, step)
				if len(part.digests) == 0 {
					break
				}
				got = append(got, part.digests...)
				o.Resume = part.states[len(part.states)-1:]
			}
			assert.Equal(t, want.digests, got)
		})
	}
}

// A model of buckets and budgets, which sees all samples at once, gives the same batches.
func TestFormsGroupSamples(t *testing.T) {
	src := newPictures(t, 90, true)
	shuffled := order.NewPermutation(90, 0, 0)
	var good []int
	for i := range 90 {
		if id := shuffled.At(i); src.good(id) {
			good = append(good, id)
		}
	}
	run := func(f loader.Form, spec spoolimage.Spec) [][]int64 {
		return runForm(t, src, loader.RecordOptions{Schema: pictureSchema(spec, resize.Augment{}), Form: f,
			Options: loader.Options{Batch: 5, Shuffle: true}}, 0).ids
	}

	sizes := []loader.Size{{Width: 20, Height: 30}, {Width: 20, Height: 20}, {Width: 30, Height: 20},
		{Width: 40, Height: 40}}
	var want [][]int64
	waiting := make([][]int64, len(sizes))
	for _, id := range good {
		s := src.sizes[id]
		bucket := 1 // of the aspect ratios 2:3, 1:1, 3:2, borders at sqrt(2:3) and sqrt(3:2)
		switch ratio := float64(s.Width*s.Width) / float64(s.Height*s.Height); {
		case ratio < 2./3:
			bucket = 0
		case ratio > 3./2:
			bucket = 2
		case s.Width*s.Height >= 1600:
			bucket = 3
		}
		if waiting[bucket] = append(waiting[bucket], int64(id)); len(waiting[bucket]) == 5 {
			want, waiting[bucket] = append(want, waiting[bucket]), nil
		}
	}
	for _, rest := range waiting {
		if rest != nil {
			want = append(want, rest)
		}
	}
	assert.Equal(t, want, run(loader.Form{Kind: loader.FormBucket, Buckets: sizes}, spoolimage.Spec{}))

	for _, ragged := range []bool{false, true} {
		var want [][]int64
		var group []int64
		width, height, sum := 0, 0, 0
		for _, id := range good {
			s := src.sizes[id]
			w, h := max(width, s.Width), max(height, s.Height)
			cost := (len(group) + 1) * w * h
			if ragged {
				cost = sum + s.Width*s.Height
			}
			if cost > 4000 {
				want, group, w, h, sum = append(want, group), nil, s.Width, s.Height, 0
			}
			group, width, height, sum = append(group, int64(id)), w, h, sum+s.Width*s.Height
			if len(group) == 5 {
				want, group, width, height, sum = append(want, group), nil, 0, 0, 0
			}
		}
		if group != nil {
			want = append(want, group)
		}
		assert.Equal(t, want, run(loader.Form{Kind: loader.FormBudget, Pixels: 4000, Ragged: ragged}, spoolimage.Spec{}))
	}
}

// Ranks have the same number of padded batches, and hold each sample once.
func TestFormsOnRanks(t *testing.T) {
	src := newPictures(t, 50, true)
	for _, f := range forms {
		var counts []int
		seen := map[int64]int{}
		for rank := range 3 {
			o := loader.RecordOptions{Schema: pictureSchema(f.spec, resize.Augment{}), Form: f.Form, Options: loader.Options{
				Batch: 4, Shuffle: true, Sharing: loader.Sharing{Rank: order.Rank{Index: rank, World: 3}}}}
			if f.Kind == loader.FormBucket || f.Kind == loader.FormBudget || f.Tokens > 0 {
				require.ErrorContains(t, o.Validate(), "Form.Kind "+f.Kind.String()+" and Sharing.Rank need Sharing.Rest uneven")
				o.Sharing.Rest = order.Uneven
			}
			ld, err := loader.Records(src, o)
			require.NoError(t, err)
			got, err := drain(t, ld, func(b *batch.Batch) int {
				for _, s := range b.Samples {
					if !s.Padding {
						seen[s.ID]++
					}
				}
				return b.Index
			})
			require.NoError(t, err)
			counts = append(counts, len(got))
		}
		for id := range 50 {
			n := 0
			if src.good(id) {
				n = 1
			}
			assert.Equal(t, n, seen[int64(id)], "%s: sample %d", formName(f.Form), id)
		}
		if f.Kind == loader.FormPad || f.Kind == loader.FormRagged {
			assert.Equal(t, []int{5, 5, 5}, counts)
		}
	}
}

// A state of buckets belongs to its buckets, and is small.
func TestStateOfBuckets(t *testing.T) {
	src := newPictures(t, 60, false)
	o := loader.RecordOptions{Schema: pictureSchema(spoolimage.Spec{Resize: resize.Spec{Width: 24, Height: 24}},
		resize.Augment{}), Form: loader.Form{Kind: loader.FormBucket}, Options: loader.Options{Batch: 4}}
	run := runForm(t, src, o, 0)
	most := 0
	for _, s := range run.states {
		most = max(most, len(s.Waiting))
	}
	assert.Positive(t, most)
	assert.LessOrEqual(t, most, 11*3)
	assert.Empty(t, run.states[len(run.states)-1].Waiting)
	state := run.states[slices.IndexFunc(run.states, func(s loader.State) bool { return len(s.Waiting) > 1 })]
	for _, change := range []func(*loader.RecordOptions, *loader.State){
		func(o *loader.RecordOptions, _ *loader.State) { o.Batch = 5 },
		func(o *loader.RecordOptions, _ *loader.State) { o.Form.Multiple = 8 },
		func(o *loader.RecordOptions, _ *loader.State) { o.Form = loader.Form{} },
		func(_ *loader.RecordOptions, s *loader.State) { slices.Reverse(s.Waiting) },
		func(_ *loader.RecordOptions, s *loader.State) { s.Waiting = []int{s.Taken} },
		func(_ *loader.RecordOptions, s *loader.State) { s.Waiting = []int{-1} },
	} {
		with, s := o, state
		s.Waiting = slices.Clone(s.Waiting)
		change(&with, &s)
		with.Resume = []loader.State{s}
		_, err := loader.Records(src, with)
		require.ErrorIs(t, err, spool.ErrOptions)
	}
}

// An absent image has no pixels.
func TestAbsentImageOfAnySize(t *testing.T) {
	src := newPictures(t, 2, false).rows
	src = append(src, [][]byte{nil}, src[1])
	schema := record.Schema{{Name: "image", Optional: true, Kind: record.Image{}}}
	for _, kind := range []loader.FormKind{loader.FormPad, loader.FormRagged} {
		_, err := loadRecords(t, src, loader.RecordOptions{Schema: schema, Form: loader.Form{Kind: kind}},
			func(b *batch.Batch) bool {
				assert.Equal(t, spool.Shape{0, 0, 3}, b.SampleDesc(0, 2).Shape)
				assert.Equal(t, []string{"image"}, b.Samples[2].Absent)
				pixels, _ := own(b, 0, 2)
				assert.Empty(t, pixels)
				one, _ := own(b, 0, 1)
				last, _ := own(b, 0, 3)
				assert.Equal(t, one, last)
				return true
			})
		require.NoError(t, err)
	}
}

// The padding of batches and of results is counted.
func TestWaste(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var src rows
	for _, s := range []loader.Size{{Width: 10, Height: 20}, {Width: 20, Height: 10}} {
		data := labels(t, r, s.Width, s.Height)
		src = append(src, [][]byte{data, data})
	}
	square := spoolimage.Spec{Resize: resize.Spec{Width: 8, Height: 8, Mode: resize.Fit}}
	for _, x := range []struct {
		form loader.Form
		spec spoolimage.Spec
		want batch.Waste
	}{
		{loader.Form{}, square, batch.Waste{Pixels: 128, Padding: 64}},
		{loader.Form{Kind: loader.FormPad}, spoolimage.Spec{}, batch.Waste{Pixels: 800, Padding: 400}},
		{loader.Form{Kind: loader.FormPad, Multiple: 16}, spoolimage.Spec{}, batch.Waste{Pixels: 2048, Padding: 1648}},
		{loader.Form{Kind: loader.FormRagged}, spoolimage.Spec{}, batch.Waste{Pixels: 400}},
		{loader.Form{Kind: loader.FormBucket, Multiple: 1}, square, batch.Waste{Pixels: 6*11*2 + 0}},
	} {
		ld, err := loader.Records(src, loader.RecordOptions{Schema: pictureSchema(x.spec, resize.Augment{}), Form: x.form})
		require.NoError(t, err)
		_, err = drain(t, ld, func(*batch.Batch) bool { return true })
		require.NoError(t, err)
		if got := ld.Waste(); x.form.Kind == loader.FormBucket {
			assert.Equal(t, x.want.Pixels, got.Pixels)
			assert.Less(t, got.Share(), 0.1)
		} else {
			assert.Equal(t, x.want, got, "%+v", x.form)
		}
	}
}

func TestFormOptions(t *testing.T) {
	image := record.Image{}
	for _, x := range []struct {
		form loader.Form
		with loader.Options
		text string
	}{
		{loader.Form{}, loader.Options{}, "one size"},
		{loader.Form{Kind: 99}, loader.Options{}, "no such form"},
		{loader.Form{Kind: loader.FormBucket}, loader.Options{}, "the default buckets have that area"},
		{loader.Form{Kind: loader.FormBucket, Field: "x"}, loader.Options{}, "no image has this name"},
		{loader.Form{Kind: loader.FormBucket, Buckets: []loader.Size{{}}}, loader.Options{}, "sides must be positive"},
		{loader.Form{Kind: loader.FormBudget}, loader.Options{},
			"Form.Pixels, Form.Tokens, Form.ClipFrames and Form.AudioSamples: one of them"},
		{loader.Form{Kind: loader.FormBudget, Pixels: 1, Tokens: 1}, loader.Options{}, "one of them"},
		{loader.Form{Kind: loader.FormBudget, Pixels: 1}, loader.Options{Last: batch.Pad}, "no common number"},
		{loader.Form{Kind: loader.FormPad, Memory: -1, Multiple: -1}, loader.Options{}, "must not be negative"},
		{loader.Form{Kind: loader.FormPad}, loader.Options{Order: batch.Any}, "depend on timing"},
		{loader.Form{Kind: loader.FormPad}, loader.Options{OnError: loader.Placeholder}, "a bad sample has no size"},
		{loader.Form{Kind: loader.FormRagged, Fill: 1}, loader.Options{}, "Form.Fill needs Form.Kind pad or budget"},
		{loader.Form{Kind: loader.FormPad, Pixels: 1}, loader.Options{}, "Form.Pixels needs Form.Kind budget"},
		{loader.Form{Kind: loader.FormBudget, Pixels: 1, Patch: 1}, loader.Options{}, "Form.Patch needs Form.Tokens"},
		{loader.Form{Kind: loader.FormPatches, Patch: 14, Merge: 2}, loader.Options{}, "multiples of 28"},
		{loader.Form{Kind: loader.FormPatches, Merge: -1, Frames: -1}, loader.Options{}, "must not be negative"},
		{loader.Form{Kind: loader.FormPad, Merge: 2}, loader.Options{}, "Form.Merge needs Form.Kind patches"},
	} {
		err := loader.RecordOptions{Schema: record.Schema{{Name: "image", Kind: image}}, Form: x.form,
			Options: x.with}.Validate()
		require.ErrorIs(t, err, spool.ErrOptions)
		require.ErrorContains(t, err, x.text)
	}
}

// Boxes, points and masks follow an image in each form as they follow it in a dense batch of its size.
func TestFieldsFollowInForms(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	var src rows
	for range 30 {
		w, h := 20+r.IntN(40), 20+r.IntN(40)
		box := fmt.Sprintf("[[%d, %d, %d, %d], [-5, -5, 500, 500]]", r.IntN(9), r.IntN(9), 10+r.IntN(30), 10+r.IntN(30))
		src = append(src, [][]byte{labels(t, r, w, h), labels(t, r, w/2, h/2), []byte(box), []byte("[[3, 4], [10, 11]]")})
	}
	schema := func(spec spoolimage.Spec) record.Schema {
		return record.Schema{{Name: "image", Kind: record.Image{Spec: spec, Augment: resize.Augment{FlipX: 0.5}}},
			{Name: "mask", Kind: record.Mask{Like: "image"}}, {Name: "boxes", Kind: record.Boxes{Like: "image"}},
			{Name: "points", Kind: record.Points{Like: "image"}}}
	}
	for _, f := range forms {
		t.Run(formName(f.Form), func(t *testing.T) {
			_, err := loadRecords(t, src, loader.RecordOptions{Schema: schema(f.spec), Form: f.Form,
				Options: loader.Options{Batch: 5}}, func(b *batch.Batch) bool {
				for i, s := range b.Samples {
					height, width := b.SampleDesc(1, i).Shape[0], b.SampleDesc(1, i).Shape[1]
					fixed := f.spec
					fixed.Resize = fixed.Resize.WithSize(width, height)
					mask, _ := own(b, 1, i)
					// one sample, with the same id and so with the same draw
					_, err := loadRecords(t, src, loader.RecordOptions{Schema: schema(fixed), Options: loader.Options{Batch: 1,
						Sampler: func(uint64) order.Sampler { return order.List{int(s.ID)} }}}, func(one *batch.Batch) bool {
						assert.True(t, bytes.Equal(fieldOf(t, one, "mask"), mask), "mask of %d", s.ID)
						for _, v := range one.Samples[0].Values {
							assert.Equal(t, v, value(t, s, v.Field))
						}
						return true
					})
					require.NoError(t, err)
				}
				return true
			})
			require.NoError(t, err)
		})
	}
}
