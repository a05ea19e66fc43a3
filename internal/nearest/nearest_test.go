package nearest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/nearest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestWord(t *testing.T) {
	words := []string{"batch", "size", "shuffle", "resize-shorter", "bilinear", "bicubic", "Class_Name"}
	for word, want := range map[string]string{
		"shufle": "shuffle", "Shuffle": "shuffle", "resize_shorter": "resize-shorter", "bacth": "batch", "sise": "size",
		"bilinera": "bilinear", "batch": "batch", "b": "", "": "", "workers": "", "qqqqqqqq": "", "class-nam": "Class_Name",
	} {
		assert.Equal(t, want, nearest.Word(word, words), word)
	}
	assert.Empty(t, nearest.Word("batch", nil))
}
