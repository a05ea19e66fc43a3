package parity

import "github.com/spoolmedia/spool/resize"

// promise is what a profile's documentation says of a package's pixels.
type promise struct {
	text  string // empty: nothing
	bytes bool   // the same bytes; otherwise within a mean and a PSNR
	mean  float64
	psnr  float64
}

// promiseOf is what a profile promises of a package's pixels.
func promiseOf(p resize.Profile, against string) promise {
	switch {
	case p == resize.Exact && against == "torchvision":
		return promise{text: "the bytes of torchvision 0.29", bytes: true}
	case p != resize.Fast && against == turbo:
		return promise{text: "the bytes, errors and warnings of libjpeg-turbo", bytes: true}
	case p == resize.Pillow && against == "pillow":
		return promise{text: "the bytes of Pillow 13.0", bytes: true}
	case p == resize.Fast && (against == "torchvision" || against == turbo):
		return promise{text: "of photos a mean of 1 at most, and 38 dB at least", mean: 1, psnr: 38}
	}
	return promise{}
}

// kept reports whether a comparison is as promised. A picture that the peer does not read is promised nothing; one
// that only the peer reads, or that has another size, is not as promised.
func (p promise) kept(c comparison, against string) bool {
	if against == turbo && c.Figures == nil {
		return c.Error["spool"] == c.Error[turbo]
	}
	installed := c.Format == "avif" || c.Format == "heic" // the installed library's pixels, on either side
	if p.text == "" || c.Error[against] != "" || installed && c.Figures != nil {
		return true
	}
	if c.Figures == nil {
		return false
	}
	if p.bytes || c.Equal {
		return c.Equal
	}
	return c.Mean <= p.mean && *c.PSNR >= p.psnr
}
