package augment_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/order"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// recorded is a source of recorded random numbers.
type recorded struct {
	t       *testing.T
	numbers []float64
}

func (r *recorded) Float64() float64 {
	require.NotEmpty(r.t, r.numbers, "more numbers are drawn than torchvision drew")
	x := r.numbers[0]
	r.numbers = r.numbers[1:]
	return x
}

func (r *recorded) IntN(n int) int { return int(r.Float64() * float64(n)) }

// torchvision are the operations of testdata/gen.py.
var torchvision = map[string]augment.Op{
	"jitter": augment.ColorJitter{Brightness: augment.Around(0.4), Contrast: [2]float64{0.5, 2},
		Saturation: augment.Around(0.3), Hue: [2]float64{-0.1, 0.1}},
	"partial":     augment.ColorJitter{Saturation: augment.Around(0.7)},
	"blur":        augment.GaussianBlur{Kernel: 5, Sigma: [2]float64{0.2, 3}},
	"erasing":     augment.Erasing{P: 1},
	"large":       augment.Erasing{P: 1, Scale: [2]float64{0.9, 1}, Ratio: [2]float64{0.1, 4}},
	"randaugment": augment.RandAugment{Magnitude: 9},
	"strong":      augment.RandAugment{Ops: 3, Magnitude: 13, Bins: 17},
	"trivial":     augment.TrivialAugmentWide{},
}

// With the same random numbers, operations draw what torchvision's transforms draw.
func TestTorchvisionDraws(t *testing.T) {
	var golden struct {
		Cases []struct {
			Name          string
			Width, Height int
			Numbers       []float64
			Steps         []augment.Step
		}
	}
	text, err := os.ReadFile("testdata/draws.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &golden))
	kinds := map[augment.StepKind]int{}
	for i, c := range golden.Cases {
		op := torchvision[c.Name]
		require.NoError(t, op.Validate())
		numbers := &recorded{t, c.Numbers}
		switch op.(type) {
		case augment.ColorJitter, augment.GaussianBlur: // torchvision has no probability here
			numbers.numbers = append([]float64{0}, c.Numbers...)
		}
		got := op.Draw(numbers, c.Width, c.Height)
		require.Empty(t, numbers.numbers, "%d: %s", i, c.Name)
		require.Len(t, got, len(c.Steps), "%d: %s", i, c.Name)
		for k, want := range c.Steps {
			kinds[want.Kind]++
			assert.InDelta(t, want.Value, got[k].Value, 1e-6, "%d: %s", i, c.Name)
			for m := range want.Matrix {
				assert.InDelta(t, want.Matrix[m], got[k].Matrix[m], 1e-5, "%d: %s", i, c.Name)
			}
			got[k].Value, got[k].Matrix = want.Value, want.Matrix
			assert.Equal(t, want, got[k], "%d: %s", i, c.Name)
		}
	}
	for kind := augment.StepBrightness; kind <= augment.StepAffine; kind++ {
		switch kind {
		case augment.StepGrayscale, augment.StepInvert: // which no drawn operation has
		default:
			assert.Positive(t, kinds[kind], kind.String())
		}
	}
}

// An operation is applied as often as its probability says. A negative one is never.
func TestProbabilities(t *testing.T) {
	const samples = 4000
	for _, c := range []struct {
		op   augment.Op
		want float64
	}{
		{augment.Grayscale{}, 0.1}, {augment.Invert{}, 0.5}, {augment.Equalize{P: 0.2}, 0.2},
		{augment.Autocontrast{P: 1}, 1}, {augment.Solarize{Threshold: 128}, 0.5}, {augment.Posterize{P: 0.7}, 0.7},
		{augment.Sharpness{P: -1}, 0}, {augment.GaussianBlur{}, 1}, {augment.Erasing{P: 0.3}, 0.3},
		{augment.ColorJitter{Hue: [2]float64{0.1, 0.2}, P: 0.4}, 0.4},
	} {
		applied := 0
		for id := range samples {
			applied += len(augment.Ops{c.op}.Draw(order.Draw{Seed: 5, ID: uint64(id)}, 32, 32))
		}
		assert.InDelta(t, c.want, float64(applied)/samples, 0.035, "%T", c.op)
	}
}

// The draws of an operation depend on the sample and on its position, and not on other operations.
func TestKeys(t *testing.T) {
	jitter := augment.ColorJitter{Hue: [2]float64{-0.5, 0.5}}
	draw := func(by order.Draw, ops ...augment.Op) []augment.Step { return augment.Ops(ops).Draw(by, 8, 8) }
	by := order.Draw{Seed: 1, Epoch: 2, ID: 3}
	first := draw(by, jitter)
	assert.Equal(t, first, draw(by, jitter))
	assert.Equal(t, first, draw(by, jitter, augment.Invert{P: 1})[:1])
	assert.Equal(t, draw(by, augment.Invert{P: 1}, jitter)[1], draw(by, augment.GaussianBlur{P: -1}, jitter)[0])
	for _, other := range []order.Draw{{Seed: 2, Epoch: 2, ID: 3}, {Seed: 1, Epoch: 3, ID: 3}, {Seed: 1, Epoch: 2, ID: 4},
		{Seed: 1, Epoch: 2, ID: 3, View: 1}, {Seed: 1, Epoch: 2, ID: 3, Occurrence: 1}} {
		assert.NotEqual(t, first, draw(other, jitter), "%+v", other)
	}
	assert.NotEqual(t, first[0], draw(by, augment.GaussianBlur{P: -1}, jitter)[0])
	assert.Nil(t, augment.Ops(nil).Steps(by))
}

func TestWrongOptions(t *testing.T) {
	for name, op := range map[string]augment.Op{
		"Brightness": augment.ColorJitter{Brightness: [2]float64{2, 1}},
		"Hue":        augment.ColorJitter{Hue: [2]float64{0, 0.6}},
		"P":          augment.Invert{P: 1.5}, "Threshold": augment.Solarize{Threshold: 256},
		"Bits":   augment.Posterize{Bits: 9},
		"Factor": augment.Sharpness{Factor: -1}, "Kernel": augment.GaussianBlur{Kernel: 4},
		"Sigma": augment.GaussianBlur{Sigma: [2]float64{0, 1}}, "Scale": augment.Erasing{Scale: [2]float64{0.5, 2}},
		"Ratio": augment.Erasing{Ratio: [2]float64{2, 1}}, "Magnitude": augment.RandAugment{Magnitude: 31},
		"Ops": augment.RandAugment{Ops: -1}, "Bins": augment.TrivialAugmentWide{Bins: 1}, "Ops[0]": nil,
	} {
		err := augment.Ops{op}.Validate()
		require.ErrorIs(t, err, spool.ErrOptions, name)
		assert.ErrorContains(t, err, name)
	}
	assert.NoError(t, augment.Ops{augment.RandAugment{}, augment.Solarize{}}.Validate())
	assert.ErrorContains(t, make(augment.Ops, 65).Validate(), "at most 64")
	assert.True(t, augment.Ops{augment.Invert{}, augment.TrivialAugmentWide{}}.Moves())
	assert.False(t, augment.Ops{augment.Invert{}, augment.Erasing{}}.Moves())
	assert.Equal(t, "affine StepKind(14)", augment.StepAffine.String()+" "+augment.StepKind(14).String())
}
