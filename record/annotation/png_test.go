package annotation_test

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/record/annotation"
)

// TestMaskPNG: the pixels of the file are those of SemanticMask.
func TestMaskPNG(t *testing.T) {
	list := []byte(`[{"category_id": 3, "segmentation": [[1,1,6,1,6,6,1,6]]},
		{"category_id": 7, "segmentation": [[4,4,9,4,9,8,4,8]]}, {"category_id": 5}]`)
	file, err := annotation.MaskPNG(list, 12, 9)
	require.NoError(t, err)
	decoded, err := png.Decode(bytes.NewReader(file))
	require.NoError(t, err)
	parsed, err := annotation.ParseCOCO(list)
	require.NoError(t, err)
	want := make([]uint8, 12*9)
	require.NoError(t, annotation.SemanticMask[uint8](want, parsed, 12, 9, 255))
	assert.Equal(t, want, decoded.(*image.Gray).Pix)
	assert.Contains(t, string(want), "\x03\x03")
	assert.Contains(t, string(want), "\xff")

	_, err = annotation.MaskPNG([]byte(`[{"category_id": 255}]`), 12, 9)
	require.ErrorIs(t, err, spool.ErrUnsupported)
	_, err = annotation.MaskPNG([]byte(`[{"category_id": 300, "segmentation": [[1,1,6,1,6,6]]}]`), 12, 9)
	require.ErrorIs(t, err, spool.ErrUnsupported)
	_, err = annotation.MaskPNG([]byte(`[{}]`), 12, 9)
	require.ErrorIs(t, err, spool.ErrCorrupt)
	for _, side := range []int{0, -1, 1 << 40} {
		_, err = annotation.MaskPNG([]byte(`[]`), side, 9)
		require.ErrorIs(t, err, spool.ErrTooLarge)
	}
}
