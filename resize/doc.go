// Package resize plans the resize of an image: the geometry for an image of one size, and the filter taps of both
// passes, as integers. It is pure Go and does not process pixels. The passes are implemented in package cbridge/kernel,
// and the decoders of images and video combine the two.
//
// A [Spec] describes the result for every image. [Spec.Plan] computes a [Plan] for images of one size. A plan has the
// canvas, the position of the image on it, the source rows and columns that are needed, and an [Axis] of taps for each
// direction. [Tables] caches the axes of recurring sizes.
//
// # Geometry
//
//   - Stretch: torchvision's v2.Resize((h, w)).
//   - Fit: Pillow's ImageOps.pad with its rounding (halves to even). One deviation: a side that Pillow rounds to zero
//     keeps one pixel, so that no image disappears.
//   - Cover: Pillow's ImageOps.fit with centering (0.5, 0.5). The crop of the source is fractional, in single precision
//     as in Pillow's resize(box=...).
//   - Shorter: torchvision's v2.Resize(n); the longer side is truncated. MaxSize is its max_size, alone with size None.
//     One deviation: a side that is truncated to zero keeps one pixel.
//   - Snap: smart_resize of Qwen2-VL; both sides are multiples of a number.
//   - Crop: torchvision's v2.CenterCrop((h, w)); halves to even, and PadColor around an image that is smaller than the
//     crop. With an offset: torchvision's crop, and pad for the area outside the image.
//   - Box: torchvision's crop(top, left, height, width) before all of these; with Stretch its resized_crop.
//   - FlipX, FlipY: torchvision's horizontal_flip and vertical_flip after all of these.
//   - [Crops]: torchvision's FiveCrop and TenCrop of Crop's size, in place of the crop.
//
// # Training
//
// [Augment] draws random geometry for a Spec: [RandomResizedCrop] draws a Box, [RandomCrop] the position of the crop,
// both by torchvision's rules, and flips have a probability. Random numbers belong to the sample (package order): a
// draw depends only on seed, epoch, sample, occurrence and view. Package augment has random operations on colors and
// pixels, which run after the resize.
//
// # Taps
//
// Windows and weights follow Pillow (libImaging/Resample.c, precompute_coeffs), from which PyTorch has them
// (aten/src/ATen/native/cpu/UpSampleKernel.cpp). The center of output i is c = lo + (i + 0.5) * scale. Its window
// extends s = support * max(scale, 1) to both sides, from pixel trunc(c - s + 0.5) to trunc(c + s + 0.5), limited to
// the source. Supports are 1 (bilinear), 2 (bicubic, a = -0.5), 3 (Lanczos) and 0.5 (box). Weights are computed in
// double precision and normalized to a sum of 1.
//
// Weights are converted to integers, rounded half away from zero. A pass sums weight times pixel, adds half of 2^p,
// shifts right by the precision p and clamps to the range of a sample. The number of bits follows a library's rule or
// our own:
//
//   - Bilinear and bicubic in [Exact] and [Fast]: 16 bits, as in PyTorch (_compute_index_ranges_int16_weights). The
//     axis has the largest p, at most 22, at which its largest weight times 2^p rounds to less than 2^15. A horizontal
//     pass, then a vertical one, give the bytes of torchvision's v2.Resize(antialias=True) on uint8.
//   - Lanczos and box, and every filter in profile [Pillow]: p is 22, as in Pillow (PRECISION_BITS), and the vertical
//     pass comes first when it does in Pillow 13: the bytes are Pillow's. In profile Pillow this includes images with
//     alpha, whose colors are weighted by alpha during the passes (Plan.Premultiply).
//   - 16-bit samples (Spec.Bits), in all profiles: p is 30, or less if the largest weight times 2^30 does not fit in 32
//     bits. Sums have 64 bits, pixels between the passes have 16, and the horizontal pass comes first. This follows no
//     library: the result is within 1 of double precision.
//
// Nearest is Pillow's NEAREST, without antialiasing: positions are accumulated as in ImagingScaleAffine. NearestFloor
// and NearestExact are torchvision's NEAREST and NEAREST_EXACT on bytes.
//
// An axis that changes nothing is an identity, and its pass is skipped, as in both libraries. Zero weights at the ends
// of a window are dropped.
package resize
