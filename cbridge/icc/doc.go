// Package icc converts image rows to sRGB by the color profile embedded in a file. It is a row sink that pushes to
// another row sink, and uses Little CMS (lcms2).
//
//	var transforms icc.Transforms // for the whole program
//	...
//	colors, err := transforms.NewSink(c, sink.Pointer(), profile, icc.Options{Color: icc.RGB, Channels: 3, Width: w})
//	...
//	defer colors.Close()
//	report, err := jpeg.Decode(c, data, jpeg.Options{Sink: colors.Pointer(), ...})
//
// # Colors
//
// The transform is the default of Pillow's ImageCms.profileToProfile(im, embedded, sRGB, outputMode="RGB"): perceptual
// intent, no black point compensation, to lcms' own sRGB. Results are within 2 levels of Pillow's. Gray is converted to
// gray with the sRGB curve instead of RGB, which is the same color. Alpha is not changed. If a profile is sRGB or
// within one level of it, rows are passed on without conversion.
//
// # Unusable profiles
//
// Some profiles cannot be used: lcms cannot read them, their color space differs from the image's, or they are not for
// images. Such profiles are links, abstract and named colors, and floating-point programs of ICC 4.3. An unusable
// profile is no reason to reject the image. NewSink returns the reason as an error. The caller shows the image as
// stored, with a warning, as web browsers do.
//
// # Memory
//
// lcms allocates memory through this package, which counts it and limits it for each transform. A transform for gray
// takes 2 to 25 KB. A transform with matrix and curves takes 160 KB. A transform with tables takes 250 KB for RGB and
// 500 KB for CMYK. Images with the same profile share it. Each sink also has a strip of rows, 64 KiB or one row, and a
// row of samples. Sink.Bytes returns the sum.
//
// All functions are safe for concurrent use. A Sink may be used by one goroutine at a time. This package is internal to
// the module: no compatibility promise.
package icc
