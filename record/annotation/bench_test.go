package annotation_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/record/annotation"
)

// photo returns annotations like COCO's for a photo of 640x480: 7, with outlines of 60 corners.
func photo() []byte {
	var list []string
	for i := range 7 {
		var corners []string
		for k := range 60 {
			sin, cos := math.Sincos(float64(k) / 60 * 2 * math.Pi)
			corners = append(corners, fmt.Sprintf("%.2f,%.2f", 100+60*float64(i)+90*cos, 240+150*sin))
		}
		list = append(list, fmt.Sprintf(`{"segmentation": [[%s]],"area": 42411.5,"iscrowd": 0,"image_id": 289343,`+
			`"bbox": [%d.14,90.5,180.25,300.75],"category_id": %d,"id": %d}`, strings.Join(corners, ","), 10+60*i, i+1, i))
	}
	return []byte("[" + strings.Join(list, ",") + "]")
}

func BenchmarkParseCOCO(b *testing.B) {
	data := photo()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := annotation.ParseCOCO(data)
		require.NoError(b, err)
	}
}

func BenchmarkSemanticMask(b *testing.B) {
	list, err := annotation.ParseCOCO(photo())
	require.NoError(b, err)
	mask := make([]uint8, 640*480)
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, annotation.SemanticMask(mask, list, 640, 480, 255))
	}
}

func BenchmarkInstanceMasks(b *testing.B) {
	list, err := annotation.ParseCOCO(photo())
	require.NoError(b, err)
	masks := make([]uint8, len(list)*640*480)
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, annotation.InstanceMasks(masks, list, 640, 480))
	}
}
