package image

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/raster"
)

func TestPNMRefusals(t *testing.T) {
	for data, want := range map[string]spool.Class{
		"P5 0 1 255 x": spool.ErrCorrupt, "P5 1 0 255 x": spool.ErrCorrupt, "P5 1 1 0 x": spool.ErrCorrupt,
		"P5 1 1 65536 x": spool.ErrCorrupt,
		"P5 -1 1 255 x":  spool.ErrCorrupt, "P5 1a 1 255 x": spool.ErrCorrupt, "P5 12345678901 1 255 x": spool.ErrCorrupt,
		"P5 4294967296 1 255 x": spool.ErrCorrupt,
		"P2 1 1 15 16":          spool.ErrCorrupt, "P2 1 1 15 x": spool.ErrCorrupt, "P3 1 1 255 1 2 -3": spool.ErrCorrupt,
		"P1 2 1 02":     spool.ErrCorrupt,
		"P7\nWIDTH 1\n": spool.ErrUnsupported, "Pf\n1 1\n-1\n": spool.ErrUnsupported,
		"P": spool.ErrTruncated, "P5": spool.ErrTruncated, "P5 1": spool.ErrTruncated, "P5 1 1": spool.ErrTruncated,
		"P5 1 1 255": spool.ErrTruncated, "P5 1 1 255 ": spool.ErrTruncated,
		"P5 1 1 # 255 ": spool.ErrTruncated, "P3 1 1 255 1 2": spool.ErrTruncated, "P1 3 1 01": spool.ErrTruncated,
		"P1 3 1 01 # 1": spool.ErrTruncated,
	} {
		r, err := raster.OpenPNM([]byte(data), false)
		assert.ErrorIs(t, firstError(t, r, err), want, "%q", data)
	}
}

func FuzzPNM(f *testing.F) { fuzzRaster(f, format.PNM) }
