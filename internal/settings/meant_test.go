package settings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/internal/settings"
)

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
