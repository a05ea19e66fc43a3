package settings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/internal/settings"
)

func TestNearest(t *testing.T) {
	words := []string{"batch", "size", "shuffle", "resize-shorter", "bilinear", "bicubic"}
	for word, want := range map[string]string{
		"shufle": "shuffle", "Shuffle": "shuffle", "resize_shorter": "resize-shorter", "bacth": "batch", "sise": "size",
		"bilinera": "bilinear", "batch": "batch", "b": "", "": "", "workers": "", "qqqqqqqq": "",
	} {
		assert.Equal(t, want, settings.Nearest(word, words), word)
	}
	assert.Empty(t, settings.Nearest("batch", nil))
}

// Other programs' names come before names that look alike.
func TestSuggest(t *testing.T) {
	names := []string{"batch", "frames", "sample", "size", "workers"}
	for unknown, want := range map[string]string{
		"batch-size": "batch", "num_workers": "workers", "image-size": "size", "num-frames": "sample", "smaple": "sample",
		"rate": "", "drop-last": "",
	} {
		assert.Equal(t, want, settings.Suggest(unknown, names), unknown)
	}
}

func TestAnyOf(t *testing.T) {
	assert.Empty(t, settings.AnyOf(nil))
	assert.Equal(t, "a", settings.AnyOf([]string{"a"}))
	assert.Equal(t, "a, b or c", settings.AnyOf([]string{"a", "b", "c"}))
	assert.Equal(t, "a and b", settings.AllOf([]string{"a", "b"}))
}
