package annotation_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/record/annotation"
	"github.com/spoolmedia/spool/resize"
)

// reference is a case of torchvision's: see testdata/gen_boxes.py.
type reference struct {
	Width, Height       int
	Format              annotation.Format
	Boxes, Points       []float32
	Integer, Unclamped  bool
	Spec                specification
	OutWidth, OutHeight int
	OutBoxes, OutPoints []float32
	Least               [2]float64
	Valid               []int
	XYXY, XYWH, CXCYWH  []float32
}

type specification struct {
	resize.Spec
	RandomCrop bool
}

// TestTorchvision: all coordinates are torchvision's, to the bit.
func TestTorchvision(t *testing.T) {
	var cases []reference
	readJSON(t, "boxes.json.gz", &cases)
	require.Len(t, cases, 1000)
	for i, c := range cases {
		plan, err := c.Spec.Plan(c.Width, c.Height, nil)
		require.NoError(t, err)
		require.Equal(t, [2]int{c.OutWidth, c.OutHeight}, [2]int{plan.OutWidth, plan.OutHeight})
		var augment resize.Augment
		if c.Spec.RandomCrop {
			augment.Crop = &resize.RandomCrop{}
		}
		g := annotation.GeometryOf(c.Spec.Spec, plan, augment)

		in := annotation.Boxes{Format: c.Format, Coords: c.Boxes, Integer: c.Integer, Unclamped: c.Unclamped}
		boxes := in.Transform(g)
		require.Equal(t, c.OutBoxes, boxes.Coords, "case %d", i)
		points := annotation.Points{Coords: c.Points, Integer: c.Integer}.Transform(g)
		require.Equal(t, c.OutPoints, points.Coords, "case %d", i)
		sane := boxes.Sanitize(c.OutWidth, c.OutHeight, annotation.Minimum{Size: c.Least[0], Area: c.Least[1]})
		kept := []int64{}
		for j, valid := range c.Valid {
			if valid == 1 {
				kept = append(kept, int64(j))
			}
		}
		require.Equal(t, kept, sane.Index, "case %d", i)
		for f, want := range [][]float32{c.XYXY, c.XYWH, c.CXCYWH} {
			converted := boxes.Convert(annotation.Format(f))
			require.Equal(t, annotation.Format(f), converted.Format)
			require.Equal(t, want, converted.Coords, "case %d to %v", i, converted.Format)
		}
	}
}

// TestCover compares a crop between pixels, which torchvision does not have, with the region's definition.
func TestCover(t *testing.T) {
	const tolerance = 1e-4
	spec := resize.Spec{Width: 100, Height: 100, Mode: resize.Cover}
	plan, err := spec.Plan(333, 200, nil)
	require.NoError(t, err)
	geometry := annotation.GeometryOf(spec, plan, resize.Augment{})
	b := annotation.Boxes{Coords: []float32{0, 10, 333, 190}}.Transform(geometry)
	assert.InDeltaSlice(t, []float32{0, 5, 100, 95}, b.Coords, tolerance)
	p := annotation.Points{Coords: []float32{66.5, 0, 266.5, 200}}.Transform(geometry)
	assert.InDeltaSlice(t, []float32{0, 0, 100, 100}, p.Coords, tolerance)
}

// TestCenterCrop checks that only torchvision's center_crop moves boxes off the image.
func TestCenterCrop(t *testing.T) {
	for missing := range 9 {
		spec := resize.Spec{CropWidth: 10 + missing, CropHeight: 10}
		plan, err := spec.Plan(10, 10, nil)
		require.NoError(t, err)
		in := annotation.Boxes{Coords: []float32{0, 0, 10, 10}}
		center := in.Transform(annotation.GeometryOf(spec, plan, resize.Augment{}))
		crop := in.Transform(annotation.GeometryOf(spec, plan, resize.Augment{Crop: &resize.RandomCrop{}}))
		assert.InDelta(t, plan.X, crop.Coords[0], 0)
		assert.InDelta(t, math.RoundToEven(float64(missing)/2), center.Coords[0], 0)
	}
}

func TestFields(t *testing.T) {
	b := annotation.Boxes{Format: annotation.XYWH, Coords: []float32{0, 0, 9, 9, 1, 1, 0, 5, 2, 2, 3, 3},
		Labels: []int64{7, 8, 9}, Index: []int64{4, 5, 6}}
	same := b.Transform(annotation.Geometry{Region: resize.Region{Width: 10, Height: 10}, Width: 10, Height: 10})
	assert.Equal(t, b, same)
	same.Labels[0], same.Coords[0] = 0, 1
	assert.Equal(t, int64(7), b.Labels[0], "results share no memory")
	assert.Zero(t, b.Coords[0])

	sane := b.Sanitize(10, 10, annotation.Minimum{})
	assert.Equal(t, annotation.Boxes{Format: annotation.XYWH, Coords: []float32{0, 0, 9, 9, 2, 2, 3, 3},
		Labels: []int64{7, 9}, Index: []int64{4, 6}}, sane)
	assert.Zero(t, b.Sanitize(1, 1, annotation.Minimum{}).Len())

	p := annotation.Points{Coords: []float32{1, 2}, Visibility: []float32{2}, Index: []int64{3}}
	flipped := p.Transform(annotation.Geometry{Region: resize.Region{Width: 10, Height: 10}, Width: 10, Height: 10,
		FlipX: true, FlipY: true})
	assert.Equal(t, annotation.Points{Coords: []float32{8, 7}, Visibility: []float32{2}, Index: []int64{3}}, flipped)
}

func TestMinimum(t *testing.T) {
	require.NoError(t, annotation.Minimum{}.Validate())
	require.NoError(t, annotation.Minimum{Size: 1, Area: 2}.Validate())
	err := annotation.Minimum{Size: 0.5, Area: math.NaN()}.Validate()
	require.ErrorIs(t, err, spool.ErrOptions)
	require.EqualError(t, err,
		"invalid options: Size 0.5: must be at least 1\ninvalid options: Area NaN: must be at least 1")
}

func TestFormat(t *testing.T) {
	for _, f := range []annotation.Format{annotation.XYXY, annotation.XYWH, annotation.CXCYWH} {
		text, err := f.MarshalText()
		require.NoError(t, err)
		var back annotation.Format
		require.NoError(t, back.UnmarshalText(text))
		assert.Equal(t, f, back)
	}
	var f annotation.Format
	require.NoError(t, f.UnmarshalText([]byte("cxcywh")))
	assert.Equal(t, annotation.CXCYWH, f)
	require.EqualError(t, f.UnmarshalText([]byte("YXYX")), `"YXYX" is not one of ["XYXY" "XYWH" "CXCYWH"]`)
	assert.Equal(t, "Format(9)", fmt.Sprint(annotation.Format(9)))
}
