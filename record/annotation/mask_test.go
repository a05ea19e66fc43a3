package annotation_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/record/annotation"
)

// TestMasks compares masks with those of pycocotools: see testdata/gen_masks.py.
func TestMasks(t *testing.T) {
	var images []struct {
		Width, Height       int
		Annotations         json.RawMessage
		Counts              []string
		Instances, Semantic string
	}
	readJSON(t, "masks.json.gz", &images)
	require.Len(t, images, 200)
	for i, image := range images {
		list, err := annotation.ParseCOCO(image.Annotations)
		require.NoError(t, err)
		width, height := image.Width, image.Height
		masks := make([]uint8, len(list)*width*height)
		require.NoError(t, annotation.InstanceMasks(masks, list, width, height))
		for j, counts := range image.Counts {
			one := masks[j*width*height : (j+1)*width*height]
			require.Equal(t, decoded(t, counts, width, height), one, "image %d, annotation %d", i, j)
		}
		require.Equal(t, image.Instances, hash(masks), "image %d", i)
		semantic := make([]uint8, width*height)
		require.NoError(t, annotation.SemanticMask(semantic, list, width, height, 255))
		require.Equal(t, image.Semantic, hash(semantic), "image %d", i)
		wide := make([]int64, width*height)
		require.NoError(t, annotation.SemanticMask(wide, list, width, height, 255))
		for j := range wide {
			require.Equal(t, int64(semantic[j]), wide[j])
		}
	}
}

func hash(data []uint8) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// decoded returns the mask of compressed run lengths.
func decoded(t *testing.T, counts string, width, height int) []uint8 {
	text, err := json.Marshal(counts)
	require.NoError(t, err)
	mask := make([]uint8, width*height)
	list := parse(t, fmt.Sprintf(`{"size":[%d,%d],"counts":%s}`, height, width, text))
	require.NoError(t, annotation.InstanceMasks(mask, list, width, height))
	return mask
}

// parse returns an annotation with a segmentation.
func parse(t *testing.T, segmentation string) []annotation.Annotation {
	list, err := annotation.ParseCOCO([]byte(`[{"category_id":3,"segmentation":` + segmentation + `}]`))
	require.NoError(t, err)
	return list
}

func TestMaskErrors(t *testing.T) {
	list := parse(t, `[[0,0,4,0,4,4]]`)
	require.ErrorIs(t, annotation.InstanceMasks(make([]uint8, 15), list, 4, 4), spool.ErrShape)
	require.ErrorIs(t, annotation.InstanceMasks(nil, list, 1<<62, 4), spool.ErrShape)
	require.ErrorIs(t, annotation.SemanticMask(make([]uint8, 16), list, -4, -4, 255), spool.ErrShape)

	mask := make([]uint8, 16)
	list[0].Category = 256
	err := annotation.SemanticMask(mask, list, 4, 4, 255)
	require.EqualError(t, err, "read: unsupported: annotation 0: category 256 in a mask of uint8")
	require.NoError(t, annotation.SemanticMask(make([]uint16, 16), list, 4, 4, 255))
	list[0].Category = -1
	require.ErrorIs(t, annotation.SemanticMask(make([]int32, 16), list, 4, 4, 255), spool.ErrUnsupported)

	err = annotation.InstanceMasks(mask, parse(t, `{"size":[4,5],"counts":[20]}`), 4, 4)
	require.EqualError(t, err, "read: corrupt: annotation 0: a mask of 5x4, in an image of 4x4")
	err = annotation.InstanceMasks(mask, parse(t, `[[-2e8,-2e8,2e8,2e8,-2e8,2e8]]`), 4, 4)
	require.EqualError(t, err, "read: too-large: annotation 0: annotations that together cover more than 16 times the "+
		"image and 268435456 pixels")
	full := parse(t, `{"size":[1024,1024],"counts":[0,1048576]}`)[0]
	list = nil
	for range 273 {
		list = append(list, full)
	}
	dst := make([]uint8, 1<<20)
	require.NoError(t, annotation.SemanticMask(dst, list[:short.Of(272, 16)], 1024, 1024, 255))
	require.ErrorIs(t, annotation.SemanticMask(dst, list, 1024, 1024, 255), spool.ErrTooLarge)
	for _, wrong := range []annotation.Segmentation{
		{RLE: &annotation.RLE{Width: 4, Height: 4, Counts: []uint32{0, 17}}},
		{Polygons: [][]float64{{0, 0, 4, 4, 4}}}, {Polygons: [][]float64{{0, 0, math.NaN(), 4, 4, 4}}},
	} {
		err := annotation.InstanceMasks(mask, []annotation.Annotation{{Segmentation: wrong}}, 4, 4)
		require.ErrorIs(t, err, spool.ErrCorrupt)
	}
	for _, empty := range []string{"[]", "null", `{"size":[0,0],"counts":""}`} {
		require.NoError(t, annotation.InstanceMasks([]uint8{}, parse(t, empty), 0, 0))
	}
	require.NoError(t, annotation.InstanceMasks([]uint8{}, parse(t, "[[0,0,1,1]]"), 4, 0))
	for range 3 {
		require.NoError(t, annotation.InstanceMasks(mask, parse(t, "[]"), 4, 4))
		assert.Equal(t, make([]uint8, 16), mask)
	}
}
