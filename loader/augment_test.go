package loader_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// train is torchvision's usual augmentation.
var train = resize.Augment{ResizedCrop: &resize.RandomResizedCrop{}, FlipX: 0.5}

// byKey returns samples by epoch and id.
func byKey(t *testing.T, got [][]seen) map[string]seen {
	t.Helper()
	all := map[string]seen{}
	for _, s := range slices.Concat(got...) {
		s.Place = 0 // depends on the order
		all[fmt.Sprint(s.epoch, s.ID)] = s
	}
	return all
}

// A sample has the same bytes and view for any number of workers and any order of samples. Epochs and seeds differ.
func TestDrawsBelongToTheSample(t *testing.T) {
	o := loader.ImageOptions{Spec: spec(32), Augment: train,
		Options: loader.Options{Batch: 8, Epochs: 2, Seed: 9, Workers: 1}}
	want, err := load(t, open(t, "hard", "photos"), o, samples)
	require.NoError(t, err)
	for _, workers := range []int{2, 64} {
		o.Workers = workers
		got, err := load(t, open(t, "hard", "photos"), o, samples)
		require.NoError(t, err)
		require.Equal(t, want, got, "%d workers", workers)
	}
	for _, other := range []func(*loader.ImageOptions){
		func(o *loader.ImageOptions) { o.Order = batch.Any },
		func(o *loader.ImageOptions) { o.Shuffle = true },
		func(o *loader.ImageOptions) { o.Batch = 5 },
	} {
		o := o
		other(&o)
		got, err := load(t, open(t, "hard", "photos"), o, samples)
		require.NoError(t, err)
		require.Equal(t, byKey(t, want), byKey(t, got))
	}
	all := byKey(t, want)
	for key, s := range all {
		if s.epoch == 0 {
			require.NotEqual(t, s.Crop, all[fmt.Sprint(1, s.ID)].Crop, key)
		}
	}
	o.Seed++
	got, err := load(t, open(t, "hard", "photos"), o, samples)
	require.NoError(t, err)
	require.NotEqual(t, want[0][0].Crop, got[0][0].Crop)
}

// withStates loads all batches, and the state after each.
func withStates(t *testing.T, src source.Source, o loader.ImageOptions) (all [][]seen, states []loader.State) {
	t.Helper()
	ld, err := loader.Images(src, o)
	require.NoError(t, err)
	for b, err := range ld.Batches(t.Context()) {
		require.NoError(t, err)
		state, err := ld.State()
		require.NoError(t, err)
		all, states = append(all, samples(b)), append(states, state)
		b.Release()
	}
	require.NoError(t, ld.Close())
	return all, states
}

// Random numbers depend on the sample and its epoch: a resumed loader draws the same ones.
func TestDrawsAreTheSameAfterResuming(t *testing.T) {
	o := loader.ImageOptions{Spec: spec(32), Augment: train,
		Options: loader.Options{Batch: 4, Epochs: 2, Shuffle: true, Seed: 7}}
	want, states := withStates(t, open(t, "photos"), o)
	require.Len(t, want, 22)
	for _, i := range []int{1, 10, 15} {
		o.Resume, o.Workers = states[i:i+1], 1+i
		got, err := load(t, open(t, "photos"), o, samples)
		require.NoError(t, err)
		require.Equal(t, want[i+1:], got)
	}
}

// The pixels of a sample are those of its view: cropped, resized and mirrored as if by hand.
func TestViewSaysWhatTheSlotShows(t *testing.T) {
	src := open(t, "photos")
	o := loader.ImageOptions{Spec: spec(40), Augment: train, Options: loader.Options{Batch: 4}}
	o.Augment.FlipY = 0.5
	d, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	defer d.Close()
	flips := map[[2]bool]int{}
	_, err = load(t, src, o, func(b *batch.Batch) bool {
		for i, s := range b.Samples {
			data, err := os.ReadFile(s.Name)
			require.NoError(t, err)
			v := s.Crop
			by := o.Spec
			by.Resize.Box = resize.Rect{Left: int(v.Left), Top: int(v.Top), Width: int(v.Width), Height: int(v.Height)}
			want := make([]byte, 40*40*3)
			_, err = d.Images.DecodeInto(context.Background(), spool.Bytes{Data: data}, want, by)
			require.NoError(t, err)
			require.Equal(t, decodetest.Mirror(want, 40, 40, v.FlipX, v.FlipY), b.Slot(i), "%s: %+v", s.Name, v)
			flips[[2]bool{v.FlipX, v.FlipY}]++
		}
		return true
	})
	require.NoError(t, err)
	require.Len(t, flips, 4, "each combination of flips comes")
}

// An image that is too small for a random crop is a bad sample, and a placeholder has no view.
func TestRandomCropOfSmallImages(t *testing.T) {
	o := loader.ImageOptions{Spec: image.Spec{Resize: resize.Spec{CropWidth: 20, CropHeight: 20}},
		Augment: resize.Augment{Crop: &resize.RandomCrop{}}, Options: loader.Options{Batch: 4, OnError: loader.Placeholder}}
	got, err := load(t, source.Files(media+"/hard/good/1x1.jpg", media+"/hard/good/s420.jpg"), o, samples)
	require.NoError(t, err)
	require.Equal(t, batch.Placeholder, got[0][0].State)
	require.Zero(t, got[0][0].Crop)
	require.Equal(t, batch.Crop{Left: got[0][1].Crop.Left, Top: got[0][1].Crop.Top, Width: 20, Height: 20}, got[0][1].Crop)

	o.Augment.Crop.PadIfNeeded = true
	got, err = load(t, source.Files(media+"/hard/good/1x1.jpg"), o, samples)
	require.NoError(t, err)
	require.Equal(t, batch.Whole, got[0][0].State)
	require.LessOrEqual(t, got[0][0].Crop.Left, 0.0)
}

func TestAugmentationIsChecked(t *testing.T) {
	o := loader.ImageOptions{Spec: spec(32), Augment: resize.Augment{Crop: &resize.RandomCrop{}, FlipX: 2}}
	o.Spec.Draw = func(int, int) (resize.Spec, error) { return resize.Spec{}, nil }
	err := o.Validate()
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, text := range []string{"Crop needs CropWidth and CropHeight", "FlipX 2", "Augment excludes Spec.Draw"} {
		require.ErrorContains(t, err, text)
	}
}
