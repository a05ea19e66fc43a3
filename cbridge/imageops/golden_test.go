package imageops_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/cbridge/imageops"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/seed"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// golden has images, steps, and torchvision's results (testdata/gen.py).
type golden struct {
	Images []struct {
		Name                    string
		Width, Height, Channels int
		At                      int
		Cases                   []struct {
			Step augment.Step
			At   int
		}
	}
	data []byte
}

func load(t testing.TB) (g golden) {
	t.Helper()
	text, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &g))
	file, err := os.Open("testdata/golden.bin.gz")
	require.NoError(t, err)
	defer file.Close()
	r, err := gzip.NewReader(file)
	require.NoError(t, err)
	g.data, err = io.ReadAll(r)
	require.NoError(t, err)
	return g
}

// apply returns the image after steps.
func apply(t testing.TB, level int, r imageops.Raster, steps ...augment.Step) []byte {
	t.Helper()
	r.Pixels = slices.Clone(r.Pixels)
	scratch := make([]byte, imageops.ScratchBytes(steps, r.Width, r.Height, r.Channels))
	require.NoError(t, r.ApplyAt(level, steps, scratch))
	return r.Pixels
}

// tolerance is the largest difference from torchvision, whose vectors fuse some products and sums. Other kinds have the
// same bytes.
var tolerance = map[augment.StepKind]int{augment.StepContrast: 1, augment.StepSaturation: 1, augment.StepSharpness: 1,
	augment.StepGrayscale: 1,
	augment.StepHue:       1, augment.StepBlur: 1}

func TestTorchvision(t *testing.T) {
	g := load(t)
	cases := 0
	for _, image := range g.Images {
		size := image.Width * image.Height * image.Channels
		r := imageops.Raster{Pixels: g.data[image.At:][:size], Width: image.Width, Height: image.Height,
			Channels: image.Channels}
		for _, c := range image.Cases {
			want := g.data[c.At:][:size]
			for level := range imageops.Levels() {
				got := apply(t, level, r, c.Step)
				most := 0
				for i := range got {
					most = max(most, int(got[i])-int(want[i]), int(want[i])-int(got[i]))
				}
				assert.LessOrEqual(t, most, tolerance[c.Step.Kind], "%s, level %d: %+v", image.Name, level, c.Step)
				cases++
			}
		}
	}
	assert.Greater(t, cases, 200)
}

// All instruction sets give the same bytes, for images of any size and for steps that share a pass or do not.
func TestLevels(t *testing.T) {
	r := seed.Rand(t)
	for range 300 {
		image := imageops.Raster{Width: 1 + r.IntN(150), Height: 1 + r.IntN(20), Channels: 1 + 2*r.IntN(2)}
		image.Pixels = make([]byte, image.Width*image.Height*image.Channels)
		for i := range image.Pixels {
			image.Pixels[i] = byte(r.Uint32())
		}
		var steps []augment.Step
		for range 1 + r.IntN(4) {
			kind := augment.StepKind(r.IntN(int(augment.StepAffine) + 1))
			steps = append(steps, augment.Step{Kind: kind, Size: 1 + 2*r.IntN(5),
				Value: 2*r.Float64() - 0.3, Matrix: [6]float64{1, r.Float64() - 0.5, 3, r.Float64() - 0.5, 1, -2},
				Box: [4]int{image.Width / 3, 0, image.Width / 2, image.Height}, Color: [3]uint8{1, 2, 3},
				Noise: [3]uint8{uint8(r.IntN(2) * 90)}, Seed: r.Uint64()})
			if s := &steps[len(steps)-1]; s.Kind == augment.StepBlur {
				s.Value = 0.1 + 3*r.Float64()
			}
		}
		want := apply(t, 0, image, steps...)
		alone := image
		for _, s := range steps { // one by one
			alone.Pixels = apply(t, 0, alone, s)
		}
		require.Equal(t, want, alone.Pixels, "%+v", steps)
		for level := range imageops.Levels() {
			require.Equal(t, want, apply(t, level, image, steps...), "level %d: %+v", level, steps)
		}
	}
}

// Noise is the color plus the standard deviation times normal numbers, whose bits the test has by itself, within 1. It
// is limited to bytes, and the rest of the image is unchanged.
func TestNoise(t *testing.T) {
	const width, height, left, top, w, h = 31, 40, 3, 5, 27, 30
	step := augment.Step{Kind: augment.StepErase, Box: [4]int{left, top, w, h}, Color: [3]uint8{124, 116, 240},
		Noise: [3]uint8{58, 0, 57}, Seed: 1 << 52}
	image := imageops.Raster{Pixels: bytes.Repeat([]byte{7}, width*height*3), Width: width, Height: height, Channels: 3}
	got := apply(t, 0, image, step)
	for y := range height {
		for x := range width {
			pixel := got[(y*width+x)*3:][:3]
			if x < left || x >= left+w || y < top || y >= top+h {
				require.Equal(t, []byte{7, 7, 7}, pixel)
				continue
			}
			bits := splitMix(step.Seed, uint64((y-top)*w+x-left))
			for c, value := range pixel {
				field := bits >> (11 * c)
				normal := math.Sqrt2 * math.Erfinv((float64(field&1023)+0.5)/1024)
				if field&1024 != 0 {
					normal = -normal
				}
				want := min(max(float64(step.Color[c])+float64(step.Noise[c])*normal, 0), 255)
				require.InDelta(t, want, value, 0.51, "%d %d %d", x, y, c)
			}
		}
	}
	assert.Contains(t, got, byte(255))
	step.Seed++
	assert.NotEqual(t, got, apply(t, 0, image, step))
}

// splitMix is number i of Vigna's splitmix64.c with a seed.
func splitMix(seed, i uint64) uint64 {
	z := seed
	for range i + 1 {
		z += 0x9e3779b97f4a7c15
	}
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func TestWrongSizes(t *testing.T) {
	pixels := make([]byte, 12)
	blur := []augment.Step{{Kind: augment.StepBlur, Size: 3, Value: 1}}
	for _, r := range []imageops.Raster{{Pixels: pixels, Width: 2, Height: 3, Channels: 2}, {},
		{Pixels: pixels, Width: 3, Height: 2, Channels: 3}} {
		assert.ErrorIs(t, r.Apply(nil, nil), spool.ErrShape)
	}
	r := imageops.Raster{Pixels: pixels, Width: 2, Height: 2, Channels: 3}
	assert.NoError(t, r.Apply(nil, nil))
	assert.ErrorIs(t, r.Apply(blur, nil), spool.ErrShape)
	assert.ErrorIs(t, r.Apply([]augment.Step{{Kind: augment.StepErase, Box: [4]int{1, 0, 2, 1}}}, nil), spool.ErrShape)
}
