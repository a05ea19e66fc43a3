package webp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/internal/lanetest"
)

// The still images of the shared media have Pillow's pixels.
func TestSharedMedia(t *testing.T) {
	checked := 0
	for name, want := range lanetest.SharedMedia(t, ".webp") {
		t.Run(name, func(t *testing.T) {
			data := lanetest.ReadShared(t, name)
			if header(t, data).Animated {
				return
			}
			pixels, report, err := decode(t, data, webp.Options{})
			require.NoError(t, err)
			assert.Equal(t, want.SHA256, lanetest.Digest(pixels))
			assert.Equal(t, 1.0, report.Fraction)
		})
		checked++
	}
	assert.Greater(t, checked, 5)
}
