// Package icc converts the rows of pictures to sRGB by the colour profile that is embedded in them: a row
// sink in front of a row sink, over Little CMS (lcms2).
//
//	var transforms icc.Transforms // for the whole program
//	...
//	colors, err := transforms.NewSink(c, sink.Pointer(), profile, icc.Options{Color: icc.RGB, Channels: 3, Width: w})
//	...
//	defer colors.Close()
//	report, err := jpeg.Decode(c, data, jpeg.Options{Sink: colors.Pointer(), ...})
//
// # Colours
//
// The transform is the one that Pillow's ImageCms.profileToProfile(im, embedded, sRGB, outputMode="RGB")
// makes by default: perceptual intent, no black point compensation, to lcms' own sRGB; results are within
// 2 levels of it. Gray becomes gray with the curve of sRGB and not RGB, which is the same colour. Opacity
// passes unchanged. Where a profile is sRGB itself, or within one level of it, rows pass unconverted.
//
// # Profiles that are no good
//
// A profile that lcms cannot read, that is of another colour space than the picture, or of a kind that is
// not for pictures (links, abstract and named colours, floating-point programs of ICC 4.3) has to be no
// reason to refuse the picture: NewSink says why it cannot be used, and its caller shows the picture as
// it is stored, with a warning, as web browsers do.
//
// # Memory
//
// lcms allocates by way of this package: its memory is counted, and limited for each sink. A transform
// of gray takes 2 to 25 KB, one of matrix and curves 160 KB, one by tables 250 KB of RGB and 500 KB of CMYK; it is
// shared by the pictures that have the same profile. Beside it each sink has a strip of rows, 64 KiB or one
// row, and a row of samples. Sink.Bytes has the sum.
//
// All functions are safe for concurrent use; a Sink belongs to one goroutine at a time.
// Packages of this module only: no compatibility promise.
package icc
