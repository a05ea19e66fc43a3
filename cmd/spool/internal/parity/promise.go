package parity

import "github.com/spoolmedia/spool/resize"

// promise is what a profile's documentation promises about a package's pixels.
type promise struct {
	text  string // empty: nothing
	bytes bool   // identical bytes; otherwise within a mean and a PSNR
	mean  float64
	psnr  float64
}

// promiseOf returns what a profile promises about a package's pixels.
func promiseOf(p resize.Profile, against string) promise {
	switch {
	case p == resize.Exact && against == "torchvision":
		return promise{text: "the bytes of torchvision 0.29", bytes: true}
	case p != resize.Fast && against == turbo:
		return promise{text: "the bytes, errors and warnings of libjpeg-turbo", bytes: true}
	case p == resize.Pillow && against == "pillow":
		return promise{text: "the bytes of Pillow 13.0", bytes: true}
	case p == resize.Fast && (against == "torchvision" || against == turbo):
		return promise{text: "for photos a mean of at most 1, and at least 38 dB", mean: 1, psnr: 38}
	}
	return promise{}
}

// kept reports whether a comparison keeps the promise. Nothing is promised for an image that the peer cannot read. An
// image that only the peer reads, or that has another size, breaks it.
func (p promise) kept(c comparison, against string) bool {
	if against == turbo && c.Figures == nil {
		return c.Error["spool"] == c.Error[turbo]
	}
	installed := c.Format == "avif" || c.Format == "heic" // the pixels are those of the installed library, on either side
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
