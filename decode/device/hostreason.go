package device

import (
	"bytes"

	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/jpegfile"
)

// HostReason says why the host decoded an image that was meant for a device.
type HostReason uint8

// Values of HostReason.
const (
	OnDevice HostReason = iota // the device decoded it

	// Known from the file:

	HostFormat      // not a JPEG
	HostOrientation // needs an orientation
	HostColors      // stored as CMYK, YCCK or RGB
	HostCoding      // arithmetic or lossless coding
	HostTruncated   // the data end too early; the host reports what is lost

	// Reported by nvJPEG:

	HostProgressive // progressive, which the device's JPEG engine does not decode
	HostSampling    // chroma subsampling or size that nvJPEG does not decode
	HostRefused     // nvJPEG reported an error; the host reports the cause

	hostReasons
)

// String is the reason as one word, as in Counts.
func (r HostReason) String() string {
	return [...]string{"device", "format", "orientation", "colors", "coding", "truncated", "progressive", "sampling",
		"refused"}[min(r, HostRefused)]
}

// hostReason is why an image is not given to nvJPEG: nvJPEG would refuse it, give other colors, or not notice damage.
func hostReason(data []byte, i image.Info) HostReason {
	if i.Format != format.JPEG {
		return HostFormat
	}
	sof, scan := jpegfile.Frame(data)
	switch {
	case sof > jpegfile.SOF2:
		return HostCoding
	case !i.PlainJPEG():
		return HostColors
	case bytes.LastIndex(data[scan:], []byte{0xff, jpegfile.EOI}) < 0:
		return HostTruncated
	case i.Orientation != jpegfile.Upright:
		return HostOrientation
	}
	return OnDevice
}
