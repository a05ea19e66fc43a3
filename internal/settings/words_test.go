package settings_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source/cache"
)

// Texts of the libraries name a surface's own words.
func TestSurfaces(t *testing.T) {
	const text = "set AWS_REGION to that, or object.Options.Region"
	assert.Equal(t, "set AWS_REGION to that, or --region", settings.AsFlags(text))
	assert.Equal(t, "set AWS_REGION to that, or region=", settings.AsKeys(text))
	assert.Equal(t, []string{"--ignore-columns", "a"},
		settings.AllAs([]string{"source.Options.Ignore", "a"}, settings.AsFlags))
	assert.Equal(t, "more than --max-failures", settings.AsFlags("more than loader.Options.Failures.MaxRate"))
	const others = "object.Options.Other and other.Options.Region"
	assert.Equal(t, others, settings.AsFlags(others))
}

// Problems of options name a surface's own words, wherever the error comes from.
func TestWords(t *testing.T) {
	square := resize.Spec{Width: 8, Height: 8}
	for name, c := range map[string]struct {
		err   error
		flags []string
		keys  []string
	}{
		"a value": {resize.Spec{Shorter: -3}.Validate(),
			[]string{"--resize-shorter -3: must not be negative"}, []string{"resize_shorter=-3: must not be negative"}},
		"two fields of a setting": {resize.Spec{Mode: resize.Fit}.Validate(),
			[]string{"--mode fit needs --size"}, []string{"mode=fit needs size"}},
		"two settings of a field": {resize.Augment{ResizedCrop: new(resize.RandomResizedCrop)}.Validate(
			resize.Spec{Box: resize.Rect{Left: 1, Top: 2, Width: 3, Height: 4}}),
			[]string{"--box 1,2,3,4 excludes --random-scale and --random-ratio: one of them chooses the crop"},
			[]string{"box=1,2,3,4 excludes random_scale and random_ratio: one of them chooses the crop"}},
		"a list": {resize.RandomResizedCrop{Scale: [2]float64{1, 0.5}}.Validate(),
			[]string{"--random-scale 1,0.5: must ascend, above 0 and at most 1"},
			[]string{"random_scale=1,0.5: must ascend, above 0 and at most 1"}},
		"several": {errors.Join(audio.Spec{Start: -1}.Validate(),
			errors.Join(errors.New("plain"), fmt.Errorf("call 3: %w", audio.Spec{Rate: -1}.Validate()))),
			[]string{"--start -1: must be from 0 to 1e9, in seconds", "plain", "call 3: --rate -1: must be from 0 to 16777216"},
			[]string{"start=-1: must be from 0 to 1e9, in seconds", "plain", "call 3: rate=-1: must be from 0 to 16777216"}},
		"no field": {invalid.Errorf("no sources"), []string{"no sources"}, []string{"no sources"}},
		"another field": {loader.VideoOptions{Every: -1, Spec: video.Spec{Resize: square}}.Validate(),
			[]string{"Every -1: must not be negative"}, []string{"Every -1: must not be negative"}},
		"a fixed value": {loader.ImageOptions{Spec: image.Spec{Resize: square}, Augment: settings.Training(),
			Options: loader.Options{Caches: loader.Caches{Disk: new(cache.Folder)}}}.Validate(),
			[]string{"--disk-cache-of samples excludes --train: each epoch has other pixels"},
			[]string{"disk_cache_of=samples excludes train: each epoch has other pixels"}},
		"a format": {encode.ImageOptions{Format: encode.PNG, Quality: 3}.Validate(),
			[]string{"--quality excludes --format png: PNG loses nothing"},
			[]string{"quality excludes format=png: PNG loses nothing"}},
		"a flag's own form": {image.Spec{Alpha: image.BlendAlpha, Color: decode.RGBA}.Validate(),
			[]string{"--alpha over:#rrggbb excludes --color rgba: blended pixels have no alpha channel"},
			[]string{"alpha=over:#rrggbb excludes color=rgba: blended pixels have no alpha channel"}},
	} {
		assert.Equal(t, c.flags, settings.Flags(c.err), name)
		assert.Equal(t, c.keys, settings.Keys(c.err), name)
	}
}
