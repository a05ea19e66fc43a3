package image

import (
	"errors"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/raster"
	"github.com/spoolmedia/spool/decode/internal/tiff"
)

// truncated reports whether a file of the format ends before its own structure does. It serves formats whose library
// does not distinguish a cut file from a corrupt one, and our own lanes.
//
// true is a proof: something that the file declares is beyond its end. false is no proof:
//
//   - Bare JPEG XL has no structure that can be read without decoding.
//   - A number in plain PNM that lost digits is still a number.
//   - Only the first page of a TIFF file is checked.
//   - Contradictions are left to the decoder.
//
// The cost is linear in the data.
func truncated(f format.Format, data []byte) bool {
	switch f {
	case format.TIFF:
		return tiff.Truncated(data, 0)
	case format.AVIF, format.HEIC:
		return heifTruncated(data)
	case format.JP2:
		return jp2Unfinished(data)
	case format.JXL:
		return jxlTruncated(data)
	case format.EXR:
		return exrTruncated(data)
	case format.BMP:
		return rasterTruncated(raster.OpenBMP(data))
	case format.PNM:
		return rasterTruncated(raster.OpenPNM(data, false))
	case format.TGA:
		return rasterTruncated(raster.OpenTGA(data))
	}
	return false
}

// rasterTruncated reports whether one of our lanes finds a file cut.
func rasterTruncated(r raster.Image, err error) bool {
	if err != nil {
		return errors.Is(err, spool.ErrTruncated)
	}
	return r.Lines().Complete < r.Height
}
