package resize_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/golden"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/resize"
)

func goldenSpec(t *testing.T, c golden.Case) resize.Spec {
	spec := resize.Spec{
		Width: c.Size[0], Height: c.Size[1], Shorter: c.Shorter,
		CropWidth: c.Crop[0], CropHeight: c.Crop[1], PadColor: c.Pad,
		Box: resize.Rect{Left: c.Box[0], Top: c.Box[1], Width: c.Box[2] - c.Box[0], Height: c.Box[3] - c.Box[1]},
	}
	if c.Mode != "" {
		require.NoError(t, spec.Mode.UnmarshalText([]byte(c.Mode)))
	}
	require.NoError(t, spec.Filter.UnmarshalText([]byte(c.Filter)))
	require.NoError(t, spec.Profile.UnmarshalText([]byte(c.Profile)))
	return spec
}

// renderCase returns the model's result for the case.
func renderCase(t *testing.T, c golden.Case, spec resize.Spec, tables *resize.Tables) image {
	plan, err := spec.Plan(c.In[0], c.In[1], tables)
	require.NoError(t, err, c)
	in := image{c.In[0], c.In[1], c.Channels, c.Pixels()}
	if plan.Premultiply && c.Channels == 4 {
		return render(plan, in.premultiply(), c.Pad).unpremultiply()
	}
	return render(plan, in, c.Pad)
}

// content returns one of the images of testdata/resize.
func content(kind string, seed uint64, width, height, channels int) image {
	c := golden.Case{Content: kind, Seed: seed, In: [2]int{width, height}, Channels: channels}
	return image{width, height, channels, c.Pixels()}
}

func readGolden(t *testing.T) golden.Golden {
	g, err := golden.Read("..")
	require.NoError(t, err)
	return g
}

// goldenCases compares the model with all cases, several at a time.
func goldenCases(t *testing.T, cases []golden.Case) {
	const shards = 16
	for shard := range shards {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			t.Parallel()
			var tables resize.Tables
			for i := shard; i < len(cases); i += shards {
				c := cases[i]
				out := renderCase(t, c, goldenSpec(t, c), &tables)
				require.Equal(t, [2]int{out.width, out.height}, c.Out, c)
				assert.True(t, c.Is(out.pixels), "%v", c)
			}
		})
	}
}

// The model with our plans gives torchvision's bytes: for sizes up and down, with crops and padding.
func TestTorchvisionBytes(t *testing.T) {
	cases := readGolden(t).Torchvision
	require.Greater(t, len(cases), 600)
	goldenCases(t, cases)
}

// In profile pillow, the bytes are Pillow's.
func TestPillowBytes(t *testing.T) {
	cases := readGolden(t).Pillow
	require.Greater(t, len(cases), 200)
	goldenCases(t, cases)
}

// Both hold for random sizes, boxes, filters and contents.
func TestRandomBytes(t *testing.T) {
	cases, err := golden.Random("..")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(cases), 4000)
	goldenCases(t, cases)
}

// In profile exact, filters that torchvision lacks give Pillow's bytes. Bilinear is within 1 of Pillow in every mode.
// Bicubic is not if Pillow runs the vertical pass first, because it overshoots between the passes.
func TestExactIsPillowsWithinOne(t *testing.T) {
	for _, c := range short.Some(readGolden(t).Pillow, 13) {
		spec := goldenSpec(t, c)
		want := renderCase(t, c, spec, nil)
		spec.Profile = resize.Exact
		got := renderCase(t, c, spec, nil)
		limit := 0
		switch spec.Filter {
		case resize.Bilinear:
			limit = 1
		case resize.Bicubic:
			continue
		}
		for i, v := range want.pixels {
			require.LessOrEqual(t, max(v, got.pixels[i])-min(v, got.pixels[i]), uint8(limit), "%v", c)
		}
	}
}
