package decode

import (
	"bytes"

	"github.com/spoolmedia/spool/cbridge/jpeg"
)

// HostReason says why the host decoded a picture that was for a device.
type HostReason uint8

// The reasons.
const (
	OnDevice        HostReason = iota // it did not
	HostFormat                        // no JPEG
	HostOrientation                   // it has to be turned
	HostColors                        // it is stored in inks (CMYK, YCCK) or as RGB
	HostCoding                        // arithmetic or lossless
	HostTruncated                     // the data end too early; the host says what is lost
	HostProgressive                   // progressive, which the device's JPEG engine does not take
	HostSampling                      // nvJPEG does not take such pictures, for their sampling or size
	HostRefused                       // nvJPEG found something wrong with it; the host says what
	hostReasons
)

// String is the reason in a word, as in NvJPEGCounts.
func (r HostReason) String() string {
	return [...]string{"device", "format", "orientation", "colors", "coding", "truncated", "progressive", "sampling", "refused"}[min(r, HostRefused)]
}

// hostReason is why nvJPEG need not be asked about a picture: it would refuse it, give other colours, or not
// notice what is wrong.
func hostReason(data []byte, i ImageInfo) HostReason {
	if i.Format != JPEG {
		return HostFormat
	}
	sof, scan := jpegFrame(data)
	space, _ := i.own.(jpeg.Space)
	switch {
	case sof > jpegSOF2:
		return HostCoding
	case space != jpeg.SpaceGray && space != jpeg.SpaceYCbCr:
		return HostColors
	case bytes.LastIndex(data[scan:], []byte{0xff, jpegEOI}) < 0:
		return HostTruncated
	case i.Orientation != upright:
		return HostOrientation
	}
	return OnDevice
}
