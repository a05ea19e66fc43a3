package png_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/internal/lanetest"
)

// The shared media have Pillow's pixels.
func TestSharedMedia(t *testing.T) {
	checked := 0
	for name, want := range lanetest.SharedMedia(t, ".png") {
		if want.Mode == "I;16" || name == "hard/wrong_ext.png" { // the second is a JPEG
			continue
		}
		pixels, report, err := decode(t, lanetest.ReadShared(t, name), png.Options{})
		require.NoError(t, err, name)
		assert.Equal(t, want.Shape, [3]int{report.Height, report.Width, 3}, name)
		assert.Equal(t, want.SHA256, lanetest.Digest(pixels), name)
		checked++
	}
	t.Log(checked, "images")
	assert.Greater(t, checked, 5)
}
