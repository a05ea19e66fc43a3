package loader_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cbridge/imageops"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/record"
)

// policy has an operation of each kind.
var policy = augment.Ops{
	augment.RandAugment{Magnitude: 9},
	augment.ColorJitter{Brightness: augment.Around(0.4), Contrast: augment.Around(0.4),
		Saturation: augment.Around(0.4), Hue: [2]float64{-0.1, 0.1}, P: 0.8},
	augment.Grayscale{}, augment.GaussianBlur{P: 0.5}, augment.Equalize{P: 0.2}, augment.Erasing{},
}

// Pixels depend on the sample only: not on workers, and not on where a run was interrupted.
func TestOpsBelongToTheSample(t *testing.T) {
	o := loader.ImageOptions{Spec: spec(32), Augment: train, Ops: policy,
		Options: loader.Options{Batch: 8, Epochs: 2, Seed: 9, Shuffle: true, Workers: 1}}
	o.Spec.DType, o.Spec.Layout, o.Spec.Mean, o.Spec.Std = spool.Float32, spool.CHW, []float32{0.5}, []float32{0.25}
	want, states := withStates(t, open(t, "hard", "photos"), o)
	for _, workers := range []int{2, 8} {
		o.Workers = workers
		got, err := load(t, open(t, "hard", "photos"), o, samples)
		require.NoError(t, err)
		require.Equal(t, want, got, "%d workers", workers)
	}
	for _, i := range []int{2, len(want) / 2} {
		o.Resume = states[i : i+1]
		got, err := load(t, open(t, "hard", "photos"), o, samples)
		require.NoError(t, err)
		require.Equal(t, want[i+1:], got)
	}
}

// The floats of a sample are those of its bytes, after the steps that its key draws.
func TestOpsComeBeforeNormalization(t *testing.T) {
	const size = 40
	src := open(t, "photos")
	d, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	defer d.Close()
	changed := 0
	for _, color := range []decode.Color{decode.RGB, decode.BGR, decode.Gray} {
		o := loader.ImageOptions{Spec: spec(size), Ops: policy, Options: loader.Options{Batch: 11, Seed: 4}}
		o.Spec.Color, o.Spec.DType, o.Spec.Layout = color, spool.Float32, spool.CHW
		o.Spec.Mean, o.Spec.Std = []float32{0.5}, []float32{0.25}
		channels := color.Channels()
		_, err := load(t, src, o, func(b *batch.Batch) bool {
			for i, s := range b.Samples {
				data, err := os.ReadFile(s.Name)
				require.NoError(t, err)
				plain := spec(size)
				if color == decode.Gray {
					plain.Color = color
				}
				pixels := make([]byte, size*size*channels)
				_, err = d.Images.DecodeInto(context.Background(), spool.Bytes{Data: data}, pixels, plain)
				require.NoError(t, err)
				before := bytes.Clone(pixels)
				steps := policy.Draw(order.Draw{Seed: 4, ID: uint64(s.ID)}, size, size)
				r := imageops.Raster{Pixels: pixels, Width: size, Height: size, Channels: channels}
				require.NoError(t, r.Apply(steps, make([]byte, imageops.ScratchBytes(steps, size, size, channels))))
				if !bytes.Equal(before, pixels) {
					changed++
				}
				slot := b.Slot(i)
				for k, x := range pixels {
					c := k % channels
					if color == decode.BGR {
						c = channels - 1 - c
					}
					at := 4 * (c*size*size + k/channels)
					got := math.Float32frombits(binary.NativeEndian.Uint32(slot[at:]))
					require.InDelta(t, (float64(x)/255-0.5)/0.25, got, 1e-5, "%v, %s, byte %d", color, s.Name, k)
				}
			}
			return true
		})
		require.NoError(t, err)
	}
	assert.Greater(t, changed, 100)
}

// All frames of a clip get the same operations: an erased rectangle does not move.
func TestOpsOfAClip(t *testing.T) {
	erase := augment.Ops{augment.Erasing{P: 1, Color: [3]uint8{255, 0, 255}}}
	o := loader.VideoOptions{Spec: frameSpec(32), Frames: 5, Ops: erase, Options: loader.Options{Batch: 2, Seed: 1}}
	places := map[string]bool{}
	_, err := loadVideos(t, videos(t), o, func(b *batch.Batch) bool {
		for i, s := range b.Samples {
			box := erase.Draw(order.Draw{Seed: 1, ID: uint64(s.ID)}, 32, 32)[0].Box
			places[fmt.Sprint(box)] = true
			for f := range 5 {
				frame := b.Slot(i)[f*32*32*3:][:32*32*3]
				for y := box[1]; y < box[1]+box[3]; y++ {
					row := frame[(y*32+box[0])*3:][:box[2]*3]
					require.Equal(t, bytes.Repeat([]byte{255, 0, 255}, box[2]), row, "%s, frame %d", s.Name, f)
				}
			}
		}
		return true
	})
	require.NoError(t, err)
	assert.Greater(t, len(places), 3)
}

// Operations change images, and neither the masks that follow them nor the draws of crops.
func TestOpsLeaveMasks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var src rows
	for range 30 {
		data := labels(t, r, 20+r.IntN(80), 20+r.IntN(80))
		src = append(src, [][]byte{data, bytes.Clone(data)})
	}
	image := grayField(24, training, 2)
	schema := record.Schema{{Name: "image", Kind: image},
		{Name: "mask", Input: "seg.png", Kind: record.Mask{Like: "image"}}}
	take := func(b *batch.Batch) [][]byte {
		var all [][]byte
		for _, name := range []string{"image.0", "image.1", "mask.0", "mask.1"} {
			all = append(all, fieldOf(t, b, name))
		}
		return all
	}
	o := loader.RecordOptions{Schema: schema, Options: loader.Options{Batch: 30}}
	plain, err := loadRecords(t, src, o, take)
	require.NoError(t, err)
	image.Ops = augment.Ops{augment.Invert{P: 1}}
	schema[0].Kind = image
	inverted, err := loadRecords(t, src, o, take)
	require.NoError(t, err)
	for view := range 2 {
		assert.Equal(t, plain[0][2+view], inverted[0][2+view])
		for i, x := range plain[0][view] {
			require.Equal(t, 255-x, inverted[0][view][i])
		}
	}
	image.Ops = augment.Ops{augment.RandAugment{}}
	schema[0].Kind = image
	assert.ErrorContains(t, schema.Validate(), "has Ops that move pixels")
}

func TestOpsAreChecked(t *testing.T) {
	o := loader.ImageOptions{Spec: spec(32), Ops: augment.Ops{augment.GaussianBlur{Kernel: 2}}}
	o.Spec.Color = decode.RGBA
	o.Spec.Adjust = func(int, int) []augment.Step { return nil }
	err := o.Validate()
	for _, text := range []string{"Kernel 2: must be odd", "Ops excludes Spec.Adjust", "Adjust excludes Color"} {
		assert.ErrorContains(t, err, text)
	}
	v := loader.VideoOptions{Spec: frameSpec(32), Ops: o.Ops}
	assert.ErrorContains(t, v.Validate(), "Kernel 2: must be odd")
}
