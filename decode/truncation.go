package decode

import (
	"errors"

	"github.com/spoolmedia/spool"
)

// truncated reports whether a file of the format ends before its own structure does, for formats whose
// library does not tell a cut file from a corrupt one, and those of our own lanes. true is a proof:
// something that the file announces lies beyond its end. false is none. Bare JPEG XL has no structure
// that could be read without decoding it, a number of plain PNM that lost digits is still a number,
// of a TIFF file only the first page is looked at, and contradictions are left to the decoder. The
// cost is linear in the data.
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

// rasterCut judges what a lane of ours makes of a file.
func rasterCut(r raster, err error) bool {
	if err != nil {
		return errors.Is(err, spool.ErrTruncated)
	}
	return r.lines().complete < r.height
}
