package annotation

import (
	"bytes"
	"image"
	"image/png"

	"github.com/spoolmedia/spool"
)

// mostMask bounds the pixels of a mask, as images are bounded.
const mostMask = 178956970

// MaskPNG returns the mask of COCO's annotations of one image, as SemanticMask makes it, with 255 for pixels of several
// annotations: a gray PNG file without compression. Categories are at most 254.
func MaskPNG(annotations []byte, width, height int) ([]byte, error) {
	if width < 1 || height < 1 || width > mostMask/height {
		return nil, failed(spool.ErrTooLarge, "a mask of %d x %d pixels", width, height)
	}
	list, err := ParseCOCO(annotations)
	if err != nil {
		return nil, err
	}
	const several = 255
	for i, a := range list {
		if a.Category == several {
			return nil, inAnnotation(i, failed(spool.ErrUnsupported, "category 255 in a mask of uint8, where it is ignored"))
		}
	}
	mask := image.NewGray(image.Rect(0, 0, width, height))
	if err := SemanticMask[uint8](mask.Pix, list, width, height, several); err != nil {
		return nil, err
	}
	var file bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&file, mask)
	return file.Bytes(), err
}
