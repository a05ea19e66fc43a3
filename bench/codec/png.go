package codec

import "github.com/spoolmedia/spool/cbridge/floor"

// interlaceByte is the position of the interlace method: after the signature and 20 bytes of the first chunk.
const interlaceByte = 28

func isInterlaced(data []byte) bool { return len(data) > interlaceByte && data[interlaceByte] != 0 }

// pngKind separates interlaced files, which libpng decodes.
func pngKind(data []byte, _ int) string {
	if isInterlaced(data) {
		return "interlaced"
	}
	return ""
}

// unlessInterlaced is the step of a file whose rows are in order.
func unlessInterlaced(run func(data []byte) error) func(data, dst []byte) error {
	return func(data, _ []byte) error {
		if isInterlaced(data) {
			return errNone
		}
		return run(data)
	}
}

// pngBare returns libpng, and the parts of the lane's work on regular files.
func pngBare(libpng, libdeflate string) []bare {
	return []bare{
		{"bare-rgb", "libpng " + libpng, true, floor.PNG},
		{"inflate", "libdeflate " + libdeflate, false, unlessInterlaced(floor.PNGInflate)},
		{"inflate+filter", "libdeflate " + libdeflate + ", spool", false, unlessInterlaced(floor.PNGUnfilter)},
	}
}
