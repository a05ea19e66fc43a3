package settings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
)

// read parses JSON as the settings of an image loader.
func read(json string) (*settings.Load, error) {
	var s settings.Set
	l := s.LoadImages()
	s.JSON([]byte(json))
	l.Judge(&s, []string{"data/a", "b"})
	return l, s.Err()
}

func TestJSON(t *testing.T) {
	t.Setenv("RANK", "")
	l, err := read(`{"size": [320, 240], "mean": [0.5, 0.25, 1], "std": 2, "dtype": "float32", "max_pixels": 1000000, "color": "bgr", "epochs": null,
		"shuffle": true, "seed": 18446744073709551615, "batch": 7, "rank": 1, "world": 3, "mix": {"a": 0.5, "b": 1}, "last": "pad", "max_bytes": "2MiB"}`)
	require.NoError(t, err)
	o := l.Options()
	assert.Equal(t, 320, l.Frame.Resize.Width)
	assert.Equal(t, 240, l.Frame.Resize.Height)
	assert.Equal(t, []float32{0.5, 0.25, 1}, l.Frame.Mean)
	assert.Equal(t, []float32{2}, l.Frame.Std)
	assert.Equal(t, decode.BGR, l.Frame.Color)
	assert.EqualValues(t, 1000000, o.Limits.MaxPixels)
	assert.EqualValues(t, 2<<20, o.Limits.MaxBytes)
	assert.Equal(t, uint64(18446744073709551615), o.Seed, "no digit is lost")
	assert.Equal(t, 1, o.Epochs, "null is not given")
	assert.True(t, o.Shuffle)
	assert.Equal(t, batch.Pad, o.Last)
	assert.Equal(t, 7, o.Batch)
	assert.Equal(t, loader.Auto, o.Workers)
	assert.Equal(t, order.Rank{Index: 1, World: 3}, o.Sharing.Rank)
}

// All problems are reported at once, by their keys.
func TestJSONRefuses(t *testing.T) {
	for _, c := range []struct {
		json string
		want settings.Problems
	}{
		{`{"sise": 5, "max-pixels": 5, "size": "5", "batch": 0}`,
			settings.Problems{"unknown option: sise; did you mean size?",
				"unknown option: max-pixels; did you mean max_pixels?", "batch=0: must be at least 1"}},
		{`{"max_failures": "x", "order": true}`, settings.Problems{
			"max_failures=x: must be a number of failures like 10, or a share of the samples like 1%",
			"order=true: must be any or exact"}},
		{`{"train": true, "resize_shorter": 256, "crop": 224}`,
			settings.Problems{"train excludes resize_shorter, max_size and crop: it draws a crop and resizes that to size"}},
		{`{"rank": 1}`, settings.Problems{"rank and world must be given together"}},
		{`{"size": {"w": [5]}}`, settings.Problems{"size: [5] in place of a string, a number, true or false"}},
		{`[1]`, settings.Problems{"not a JSON object: it does not begin with {"}},
		{`{"size": 8} {}`, settings.Problems{"not a JSON object: data after the object"}},
		{`{"size": 8`, settings.Problems{"not a JSON object: EOF"}},
	} {
		_, err := read(c.json)
		var got settings.Problems
		require.ErrorAs(t, err, &got, c.json)
		require.ErrorIs(t, err, spool.ErrOptions)
		assert.Equal(t, c.want, got, c.json)
	}
}

// The text of a flag may be anything, even look like a flag. Only names of settings become keys.
func TestKeys(t *testing.T) {
	var s settings.Set
	var name string
	s.Text("file-name", &name, "FILE", "")
	s.JSON([]byte(`{"file_name": "--file"}`))
	assert.Equal(t, "--file", name)
	assert.True(t, s.Given("file-name"))
	assert.False(t, s.Given("other"))
	s.Refuse("--file-name=%s: not --there", name)
	assert.EqualError(t, s.Err(), "file_name=--file: not --there")
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"size": [1, 2], "mix": {"a": 1}}`)
	f.Add(`{"codec_option": {"a": 1}, "seed": 1e400}`)
	f.Fuzz(func(t *testing.T, json string) {
		if l, err := read(json); err != nil {
			var p settings.Problems
			require.ErrorAs(t, err, &p)
		} else {
			require.NotNil(t, l)
			fuzzed.Accept()
		}
	})
}
