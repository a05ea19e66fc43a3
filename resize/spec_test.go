package resize_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/resize"
)

func TestValidate(t *testing.T) {
	for _, spec := range []resize.Spec{
		{},
		{Width: 224, Height: 224},
		{Width: 224, Height: 1, Mode: resize.Fit, Filter: resize.Nearest},
		{Width: 224, Height: 224, Mode: resize.Cover},
		{Width: 256, Height: 256, CropWidth: 224, CropHeight: 224},
		{Shorter: 256, CropWidth: 224, CropHeight: 224},
		{Shorter: 256},
		{Shorter: 256, MaxSize: 257},
		{MaxSize: 1, CropWidth: 224, CropHeight: 224},
		{CropWidth: 224, CropHeight: 224},
		{Width: resize.MaxEdge, Height: resize.MaxEdge},
		{Box: resize.Rect{Left: 5, Width: 1, Height: 1}, FlipX: true, FlipY: true},
		{CropWidth: 9, CropHeight: 9, CropRight: -5, CropDown: 10},
	} {
		assert.NoError(t, spec.Validate(), "%+v", spec)
	}
	for text, spec := range map[string]resize.Spec{
		"Width -1: must not be negative":                                                      {Width: -1, Height: 3},
		"Height -2: must not be negative":                                                     {Width: 1, Height: -2},
		"Shorter -3: must not be negative":                                                    {Shorter: -3},
		"CropWidth -4: must not be negative":                                                  {CropWidth: -4, CropHeight: 1},
		"CropHeight -5: must not be negative":                                                 {CropWidth: 1, CropHeight: -5},
		"Width 262145: must be at most 262144":                                                {Width: 262145, Height: 1},
		"Shorter 262145: must be at most 262144":                                              {Shorter: 262145},
		"Width 224 and Height 0: set both, or neither":                                        {Width: 224},
		"Width 0 and Height 224: set both, or neither":                                        {Height: 224},
		"CropWidth 0 and CropHeight 224: set both, or neither":                                {CropHeight: 224},
		"CropWidth 224 and CropHeight 0: set both, or neither":                                {CropWidth: 224},
		"Width and Height exclude Shorter: set one of them":                                   {Width: 224, Height: 224, Shorter: 256},
		"MaxSize -1: must not be negative":                                                    {MaxSize: -1},
		"Width and Height exclude MaxSize: set one of them":                                   {Width: 224, Height: 224, MaxSize: 256},
		"Snap.Multiple excludes MaxSize: set one of them":                                     {Snap: resize.Snap{Multiple: 2}, MaxSize: 256},
		"MaxSize 9 and Shorter 9: the longer side must have more pixels than the shorter one": {Shorter: 9, MaxSize: 9},
		"Mode fit needs Width and Height":                                                     {Mode: resize.Fit},
		"Mode cover needs Width and Height":                                                   {Mode: resize.Cover, Shorter: 256},
		"Mode cover excludes CropWidth and CropHeight: it gives the size of the result": {Mode: resize.Cover, Width: 9,
			Height: 9, CropWidth: 5, CropHeight: 5},
		"Mode 3: no such mode":     {Mode: 3, Width: 1, Height: 1},
		"Filter 7: no such filter": {Filter: 7},
		"Box 0x5+1+0: is empty":    {Box: resize.Rect{Left: 1, Height: 5}},
		"Box 5x-1+0+0: is empty":   {Box: resize.Rect{Width: 5, Height: -1}},
		"Box 5x5-1+0: begins outside the image": {Box: resize.Rect{Left: -1, Width: 5,
			Height: 5}},
		"CropRight and CropDown need CropWidth and CropHeight": {CropDown: -1},
		"CropRight 262145 and CropDown -1: must be at most 262144": {CropWidth: 5, CropHeight: 5,
			CropRight: 262145, CropDown: -1},
		"CropRight 0 and CropDown -262145: must be at most 262144": {CropWidth: 5, CropHeight: 5,
			CropDown: -262145},
	} {
		err := spec.Validate()
		assert.ErrorIs(t, err, spool.ErrOptions, text)
		assert.EqualError(t, err, "invalid options: "+text)
		_, planned := spec.Plan(10, 10, nil)
		assert.Equal(t, err, planned)
	}
}

func TestValidateReportsAllProblems(t *testing.T) {
	err := resize.Spec{Width: -1, Shorter: -2, CropWidth: 3, Mode: resize.Fit, Filter: 99}.Validate()
	assert.EqualError(t, err, `invalid options: Width -1: must not be negative
invalid options: Shorter -2: must not be negative
invalid options: Width -1 and Height 0: set both, or neither
invalid options: CropWidth 3 and CropHeight 0: set both, or neither
invalid options: Width and Height exclude Shorter: set one of them
invalid options: Mode fit excludes CropWidth and CropHeight: it gives the size of the result
invalid options: Filter 99: no such filter`)
}

func TestNames(t *testing.T) {
	text, err := json.Marshal(map[string]any{"mode": resize.Cover, "filter": resize.Lanczos})
	require.NoError(t, err)
	assert.JSONEq(t, `{"mode":"cover","filter":"lanczos"}`, string(text))
	var spec resize.Spec
	require.NoError(t, json.Unmarshal([]byte(`{"Mode":"fit","Filter":"box"}`), &spec))
	assert.Equal(t, resize.Spec{Mode: resize.Fit, Filter: resize.Box}, spec)
	assert.EqualError(t, spec.Mode.UnmarshalText([]byte("zoom")), `"zoom" is not one of ["stretch" "fit" "cover"]`)
	assert.EqualError(t, spec.Filter.UnmarshalText([]byte("gauss")),
		`"gauss" is not one of ["bilinear" "bicubic" "lanczos" "box" "nearest" "nearest-floor" "nearest-exact"]`)
}
