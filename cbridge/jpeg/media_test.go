package jpeg_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/internal/lanetest"
)

// Upright images equal Pillow's results, which have their orientation applied.
func TestSharedMedia(t *testing.T) {
	turned := []string{"hard/exif2.", "hard/exif3.", "hard/exif4.", "hard/exif5.", "hard/exif6.", "hard/exif7.",
		"hard/exif8.", "rotation/2.", "rotation/3.", "rotation/4.", "rotation/5.", "rotation/6.", "rotation/7.",
		"rotation/8."}
	checked := 0
	for name, want := range lanetest.SharedMedia(t, ".jpg") {
		isTurned := false
		for _, part := range turned {
			isTurned = isTurned || strings.Contains(name, part)
		}
		if isTurned {
			continue
		}
		t.Run(name, func(t *testing.T) {
			pixels, report, err := decode(t, lanetest.ReadShared(t, name), jpeg.Options{})
			require.NoError(t, err)
			assert.Equal(t, want.Shape, [3]int{report.Height, report.Width, 3})
			assert.Equal(t, want.SHA256, lanetest.Digest(pixels))
			assert.Equal(t, report.Height, report.Rows)
		})
		checked++
	}
	assert.Greater(t, checked, 15)
}

func TestSharedBadFiles(t *testing.T) {
	for name, class := range map[string]spool.Class{
		"hard/empty.jpg":        spool.ErrEmpty,
		"hard/text.jpg":         spool.ErrNotMedia,
		"hard/zeros.jpg":        spool.ErrNotMedia,
		"hard/header_only.jpg":  spool.ErrTruncated,
		"hard/truncated60.jpg":  spool.ErrTruncated,
		"hard/truncated99.jpg":  spool.ErrTruncated,
		"libvips/truncated.jpg": spool.ErrTruncated,
	} {
		t.Run(name, func(t *testing.T) {
			_, report, err := decode(t, lanetest.ReadShared(t, name), jpeg.Options{})
			assert.ErrorIs(t, err, class)
			assert.Less(t, report.Fraction, 1.0)
		})
	}
}
