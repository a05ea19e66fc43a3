package decodetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
)

// Image decodes an image into memory of the test.
func Image(t testing.TB, d *decoders.Set, data []byte, spec image.Spec) ([]byte, image.Report) {
	t.Helper()
	b, report, err := d.Images.Decode(t.Context(), spool.Bytes{Data: data}, spec)
	require.NoError(t, err)
	defer b.Release()
	require.Equal(t, report.Desc, b.Desc())
	return append([]byte(nil), b.Bytes()...), report
}

// Mirror flips an image of 3 channels.
func Mirror(pixels []byte, width, height int, flipX, flipY bool) []byte {
	out := make([]byte, len(pixels))
	for y := range height {
		for x := range width {
			fromX, fromY := x, y
			if flipX {
				fromX = width - 1 - x
			}
			if flipY {
				fromY = height - 1 - y
			}
			copy(out[(y*width+x)*3:][:3], pixels[(fromY*width+fromX)*3:])
		}
	}
	return out
}
