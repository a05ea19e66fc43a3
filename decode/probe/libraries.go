package probe

import (
	"strings"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/avif"
	"github.com/spoolmedia/spool/cbridge/icc"
	"github.com/spoolmedia/spool/cbridge/jp2"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/cbridge/webp"
)

// Libraries lists the versions of the decoding libraries. With other versions, some formats may decode to other
// samples.
func Libraries() string {
	libpng, libdeflate := png.Version()
	return strings.Join([]string{
		"FFmpeg " + av.Version(), "lcms2 " + icc.Version(), "libavif " + avif.Version(), "libdeflate " + libdeflate,
		"libjpeg-turbo " + jpeg.Version(),
		"libopenjp2 " + jp2.Version(), "libpng " + libpng, "libvips " + vips.Version(), "libwebp " + webp.Version(),
	}, ", ")
}
