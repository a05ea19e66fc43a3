package settings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/resize"
)

// operations returns the operations of flags, or of JSON.
func operations(t *testing.T, flags []string, json string) (ops augment.Ops, err error) {
	t.Helper()
	var s settings.Set
	set := map[string]*settings.Setting{}
	s.Defined = func(v *settings.Setting) { set[v.Name] = v }
	s.Augment(new(resize.Spec), new(resize.Augment), &ops)
	for _, text := range flags {
		require.NoError(t, set["augment"].Set(text))
	}
	if json != "" {
		s.JSON([]byte(json))
	}
	return ops, s.Err()
}

func TestOperations(t *testing.T) {
	want := augment.Ops{
		augment.ColorJitter{Brightness: augment.Around(0.4), Saturation: [2]float64{0.5, 2},
			Hue: [2]float64{-0.1, 0.1}, P: 0.8},
		augment.Grayscale{P: 0.1},
		augment.Solarize{P: -1},
		augment.GaussianBlur{Kernel: 23, Sigma: [2]float64{0.1, 2}, P: 0.5},
		augment.Erasing{P: 0.25, Scale: [2]float64{0.02, 0.33}, Ratio: [2]float64{0.3, 3.3}, Color: [3]uint8{1, 2, 3}},
		augment.Erasing{P: 1, Scale: [2]float64{0.02, 0.33}, Ratio: [2]float64{0.3, 3.3}, Color: [3]uint8{124, 116, 104},
			Noise: [3]uint8{58, 57, 57}},
		augment.Erasing{P: 1, Scale: [2]float64{0.02, 0.33}, Ratio: [2]float64{0.3, 3.3}, Noise: [3]uint8{9, 9, 9}},
		augment.RandAugment{Ops: 3, Magnitude: 0, Bins: 31},
		augment.TrivialAugmentWide{Bins: 31},
	}
	flags, err := operations(t, []string{"jitter:0.4,0,0.5..2,0.1,p=0.8", "grayscale", "solarize:0,0",
		"blur:23,p=0.5", "erasing:0.25,color=#010203", "erasing:1,color=random", "erasing:1,noise=#090909",
		"randaugment:3,0", "trivialaugment"}, "")
	require.NoError(t, err)
	assert.Equal(t, want, flags)
	json, err := operations(t, nil, `{"augment": [
		{"op": "jitter", "brightness": 0.4, "saturation": [0.5, 2], "hue": 0.1, "p": 0.8}, "grayscale",
		{"op": "solarize", "threshold": 0, "p": 0}, {"op": "blur", "kernel": 23, "p": 0.5}, "erasing:0.25,color=#010203",
		{"op": "erasing", "p": 1, "color": "random", "noise": "#000000"}, "erasing:1,noise=#090909",
		{"op": "randaugment", "ops": 3, "magnitude": 0}, {"op": "trivialaugment"}]}`)
	require.NoError(t, err)
	assert.Equal(t, want, json)
	one, err := operations(t, nil, `{"augment": {"op": "invert"}}`)
	require.NoError(t, err)
	assert.Equal(t, augment.Ops{augment.Invert{P: 0.5}}, one)
	none, err := operations(t, nil, `{"augment": null}`)
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestWrongOperations(t *testing.T) {
	for flag, want := range map[string]string{
		"jiter:0.4":               `"jiter" must be autocontrast, blur, equalize, erasing, grayscale`,
		"blur:4":                  "kernel 4: must be odd, from 1 to 255",
		"blur:5,3..1":             "sigma 3,1: must ascend, above 0",
		"blur:5,x":                "sigma x: must be a number, or a range like 0.5..1.5",
		"invert:2":                "p 2: must be a probability from 0 to 1",
		"invert:0.5,1":            "there are at most 1 values",
		"jitter:-1":               "must not be negative",
		"randaugment:magnitud=3":  "did you mean magnitude?",
		"randaugment:2,31":        "magnitude 31: must be from 0 to 30",
		"erasing:1,color=red":     "must be a color like #808080",
		"sharpness:x":             "must be a number",
		"grayscale:p=0.1,quick=1": "unknown option: quick",
	} {
		_, err := operations(t, []string{flag}, "")
		require.Error(t, err, flag)
		assert.ErrorContains(t, err, want, flag)
	}
	for json, want := range map[string]string{
		`{"augment": [3]}`:                          `"3" must be`,
		`{"augment": {"p": 1}}`:                     `"" must be`,
		`{"augment": {"op": 3}}`:                    "cannot unmarshal",
		`{"augment": {"op": "blur", "kernel": 4}}`:  "augment: blur: kernel=4: must be odd",
		`{"augment": [["invert"], "nothing"]}`:      `"nothing" must be`,
		`{"augment": [{"op": "invert", "q": 0.5}]}`: "unknown option: q",
	} {
		_, err := operations(t, nil, json)
		require.Error(t, err, json)
		assert.ErrorContains(t, err, want, json)
	}
}
