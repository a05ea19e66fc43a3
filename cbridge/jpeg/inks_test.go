package jpeg_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/internal/lanetest"
)

// Inks are converted to RGB, and only CMYK images have them.
func TestInks(t *testing.T) {
	seen := 0
	for name, want := range lanetest.Goldens[golden](t) {
		data := lanetest.Read(t, name)
		inks, _, err := decode(t, data, jpeg.Options{Color: jpeg.Inks})
		if want.Mode != "CMYK" {
			assert.ErrorIs(t, err, spool.ErrShape, name)
			continue
		}
		require.NoError(t, err)
		rgb, _, err := decode(t, data, jpeg.Options{})
		require.NoError(t, err)
		for i := range len(rgb) / 3 {
			white := 255 - int(inks[4*i+3])
			for c := range 3 {
				mixed := int(inks[4*i+c])*white + 128
				require.Equal(t, white-((mixed>>8+mixed)>>8), int(rgb[3*i+c]), "%s, pixel %d", name, i)
			}
		}
		seen++
	}
	assert.Positive(t, seen)
}
