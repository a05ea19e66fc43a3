package decode

import (
	"errors"

	"github.com/spoolmedia/spool"
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
func truncated(f Format, data []byte) bool {
	switch f {
	case TIFF:
		return tiffCut(data, 0)
	case AVIF, HEIC:
		return heifCut(data)
	case JP2:
		return jp2Unfinished(data)
	case JXL:
		return jxlCut(data)
	case EXR:
		return exrCut(data)
	case BMP:
		return rasterCut(openBMP(data))
	case PNM:
		return rasterCut(openPNM(data, false))
	case TGA:
		return rasterCut(openTGA(data))
	}
	return false
}

// rasterCut reports whether one of our lanes finds a file cut.
func rasterCut(r raster, err error) bool {
	if err != nil {
		return errors.Is(err, spool.ErrTruncated)
	}
	return r.lines().complete < r.height
}
