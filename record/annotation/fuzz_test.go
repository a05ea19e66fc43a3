package annotation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/record/annotation"
)

// refused checks the class of a parser's error.
func refused(t *testing.T, err error) {
	require.Contains(t, []spool.Class{spool.ErrCorrupt, spool.ErrTruncated, spool.ErrUnsupported, spool.ErrTooLarge},
		spool.ClassOf(err), "%v", err)
}

// FuzzParse: any bytes are refused with a class, or give boxes and points with all of their fields.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`[[1,2,3,4],[5,6,7,8.5]]`, `{"boxes":[[1,2,3,4]],"labels":[3]}`, `[[1,2,2],[3,4,0]]`, `{"points":[[[1,2]],[]]}`,
		`{"annotations":[{"category_id":1,"bbox":[1,2,3,4],"keypoints":[1,2,2]}]}`,
		string(array("<f4", "(1, 4)", []float32{1, 2, 3, 4})), string(array("<i2", "(2, 1, 2)", []int16{1, 2, 3, 4})),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		boxes, err := annotation.ParseBoxes(data, annotation.XYXY)
		if err != nil {
			refused(t, err)
		} else {
			fuzzed.Accept()
			require.Len(t, boxes.Coords, 4*len(boxes.Index))
			memory := 4*cap(boxes.Coords) + 8*cap(boxes.Index) + 8*cap(boxes.Labels)
			require.LessOrEqual(t, memory, 20*len(data)+100)
			if boxes.Labels != nil {
				require.Len(t, boxes.Labels, boxes.Len())
			}
			sane := boxes.Sanitize(100, 100, annotation.Minimum{})
			require.Equal(t, sane, sane.Sanitize(100, 100, annotation.Minimum{}))
		}
		points, err := annotation.ParsePoints(data)
		if err != nil {
			refused(t, err)
			return
		}
		require.Zero(t, len(points.Coords)%2)
		require.Contains(t, []int{0, points.Len()}, len(points.Visibility))
		require.Contains(t, []int{0, points.Len()}, len(points.Index))
	})
}

// FuzzMasks: any bytes are refused with a class, or give masks.
func FuzzMasks(f *testing.F) {
	for _, text := range []string{
		`[{"category_id":7,"segmentation":[[0,0,5,0,5,4.5],[1,1,1,1]]},{"category_id":0,"segmentation":[[2,2,9,9,-1,3]]}]`,
		`[{"category_id":1,"bbox":[1,2,3,4],"segmentation":{"size":[48,64],"counts":[5,3067]}}]`,
		`[{"category_id":255,"segmentation":{"size":[48,64],"counts":"5PkP2"}}]`,
	} {
		f.Add([]byte(text))
	}
	const width, height = 64, 48
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := annotation.ParseCOCO(data)
		if err != nil {
			refused(t, err)
			return
		}
		fuzzed.Accept()
		semantic, masks := make([]uint8, width*height), make([]uint8, len(list)*width*height)
		if err := annotation.InstanceMasks(masks, list, width, height); err != nil {
			refused(t, err)
			require.Error(t, annotation.SemanticMask(semantic, list, width, height, 255))
			return
		}
		if err := annotation.SemanticMask(semantic, list, width, height, 255); err != nil {
			require.ErrorIs(t, err, spool.ErrUnsupported)
			return
		}
		for pixel, got := range semantic {
			covered, want := 0, uint8(0)
			for i, a := range list {
				if masks[i*width*height+pixel] == 1 {
					covered++
					want = uint8(a.Category)
				}
			}
			if covered > 1 {
				want = 255
			}
			require.Equal(t, want, got)
		}
	})
}
