package image_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/resize"
)

// boxed draws a box whose left and upper edges are at a fraction of the sides, half as wide and a third as high as the
// image.
func boxed(left, top int, s resize.Spec) func(w, h int) (resize.Spec, error) {
	return func(w, h int) (resize.Spec, error) {
		s.Box = resize.Rect{Left: w / left, Top: h / top, Width: max(w/2, 1), Height: max(h/3, 1)}
		return s, nil
	}
}

// fastSpecs shrink an image so much that profile fast resizes its planes.
var fastSpecs = []image.Spec{
	{Resize: resize.Spec{Width: 5, Height: 5, Profile: resize.Fast}},
	{Resize: resize.Spec{Width: 2, Height: 1, Profile: resize.Fast}, Color: decode.Gray},
	{Resize: resize.Spec{Width: 20, Height: 9, Mode: resize.Cover, Filter: resize.Bicubic, Profile: resize.Fast},
		Stored: true, Accept: 0.1},
	{Draw: boxed(3, 4, resize.Spec{Width: 3, Height: 4, Profile: resize.Fast})},
}

// misjudges describes how the two engines differ apart from pixels; pixels count only if our engine declined the image.
func (e engines) misjudges(data []byte, spec image.Spec) (difference string, trace image.Trace) {
	ours, our, err1 := e.auto.Images.Decode(ctx, spool.Bytes{Data: data}, spec)
	theirs, their, err2 := e.turbo.Images.Decode(ctx, spool.Bytes{Data: data}, spec)
	if ours != nil {
		defer ours.Release()
	}
	if theirs != nil {
		defer theirs.Release()
	}
	switch {
	case (err1 == nil) != (err2 == nil) || err1 != nil &&
		(err1.Error() != err2.Error() || spool.ClassOf(err1) != spool.ClassOf(err2)):
		return fmt.Sprintf("%v instead of %v", err1, err2), our.Trace
	case err1 != nil:
		return "", our.Trace
	case our.Damaged != their.Damaged || our.Fraction != their.Fraction || our.Warnings != their.Warnings ||
		our.Warning != their.Warning:
		return fmt.Sprintf("%+v instead of %+v", our, their), our.Trace
	case our.Trace.Engine == "turbo" && !bytes.Equal(ours.Bytes(), theirs.Bytes()):
		return "other pixels of an image that was left", our.Trace
	}
	return "", our.Trace
}

// Profile fast has its own pixels, but reports on odd, damaged and truncated files are those of libjpeg-turbo.
func TestFastJudgesAsTurbo(t *testing.T) {
	e := newEngines(t, fuzzLimits)
	r := seed.Rand(t)
	corpus, err := filepath.Glob("../../cbridge/jpeg/baseline/fuzz/corpus/*")
	require.NoError(t, err)
	count, scaled := map[string]int{}, 0
	check := func(data []byte, what string) {
		for i, spec := range fastSpecs {
			difference, trace := e.misjudges(data, spec)
			require.Empty(t, difference, "%s, spec %d", what, i)
			count[trace.Engine+" "+trace.Reason]++
			if trace.Scale.Luma > 1 {
				scaled++
			}
		}
	}
	for i, name := range append(jpegFiles(t), corpus...) {
		data := decodetest.ReadFile(t, name)
		if len(data) > 20<<10 || testing.Short() && i%9 != 0 {
			continue
		}
		check(data, name)
		if len(data) < 10 {
			continue
		}
		for range short.Of(4, 1) {
			check(data[:r.IntN(len(data))], name+", cut")
			changed := slices.Clone(data)
			changed[len(data)/4+r.IntN(len(data)*3/4)] ^= 1 << r.IntN(8)
			check(changed, name+", changed")
		}
	}
	t.Log(count, scaled)
	assert.Positive(t, scaled)
	assert.Greater(t, len(count), 8)
}

// Our engine declines chroma planes with different sampling factors, in any profile.
func TestUnlikeChroma(t *testing.T) {
	e := newEngines(t, decode.Limits{})
	data := decodetest.ReadFile(t, "testdata/unlike.jpg") // cjpeg -sample 2x2,2x1,1x1
	for i, spec := range append(slices.Clone(fastSpecs), engineSpecs...) {
		difference, trace := e.misjudges(data, spec)
		assert.Empty(t, difference, "spec %d", i)
		if spec.Color == decode.Gray {
			assert.Equal(t, "own", trace.Engine, "spec %d", i)
		} else {
			assert.Equal(t, "sampling", trace.Reason, "spec %d", i)
		}
	}
}
