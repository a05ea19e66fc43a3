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
		{CropWidth: 224, CropHeight: 224},
		{Width: resize.MaxEdge, Height: resize.MaxEdge},
		{Box: resize.Rect{Left: 5, Width: 1, Height: 1}, FlipX: true, FlipY: true},
		{CropWidth: 9, CropHeight: 9, CropRight: -5, CropDown: 10},
	} {
		assert.NoError(t, spec.Validate(), "%+v", spec)
	}
	for text, spec := range map[string]resize.Spec{
		"width -1 is negative":                                   {Width: -1, Height: 3},
		"height -2 is negative":                                  {Width: 1, Height: -2},
		"shorter side -3 is negative":                            {Shorter: -3},
		"crop width -4 is negative":                              {CropWidth: -4, CropHeight: 1},
		"crop height -5 is negative":                             {CropWidth: 1, CropHeight: -5},
		"width 262145 is above the limit of 262144":              {Width: 262145, Height: 1},
		"shorter side 262145 is above the limit of 262144":       {Shorter: 262145},
		"size 224x0 lacks a side":                                {Width: 224},
		"size 0x224 lacks a side":                                {Height: 224},
		"crop 0x224 lacks a side":                                {CropHeight: 224},
		"crop 224x0 lacks a side":                                {CropWidth: 224},
		"a size and a shorter side exclude each other":           {Width: 224, Height: 224, Shorter: 256},
		"mode fit needs a size":                                  {Mode: resize.Fit},
		"mode cover needs a size":                                {Mode: resize.Cover, Shorter: 256},
		"mode cover and a crop exclude each other":               {Mode: resize.Cover, Width: 9, Height: 9, CropWidth: 5, CropHeight: 5},
		"no such mode: 3":                                        {Mode: 3, Width: 1, Height: 1},
		"no such filter: 7":                                      {Filter: 7},
		"box 0x5+1+0 is empty":                                   {Box: resize.Rect{Left: 1, Height: 5}},
		"box 5x-1+0+0 is empty":                                  {Box: resize.Rect{Width: 5, Height: -1}},
		"box 5x5-1+0 begins outside the image":                   {Box: resize.Rect{Left: -1, Width: 5, Height: 5}},
		"a crop offset needs a crop size":                        {CropDown: -1},
		"a crop moved by +262145-1 is above the limit of 262144": {CropWidth: 5, CropHeight: 5, CropRight: 262145, CropDown: -1},
		"a crop moved by +0-262145 is above the limit of 262144": {CropWidth: 5, CropHeight: 5, CropDown: -262145},
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
	assert.EqualError(t, err, `invalid options: width -1 is negative
invalid options: shorter side -2 is negative
invalid options: size -1x0 lacks a side
invalid options: crop 3x0 lacks a side
invalid options: a size and a shorter side exclude each other
invalid options: mode fit and a crop exclude each other
invalid options: no such filter: 99`)
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
