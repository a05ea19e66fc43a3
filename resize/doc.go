// Package resize plans how a picture is resized: the geometry for one picture size, and the filter
// taps of both passes, as integers. It is pure Go and touches no pixels; the passes themselves are
// in package cbridge/kernel, and package decode joins the two.
//
// A [Spec] says what is wanted of every picture. [Spec.Plan] turns it into a [Plan] for a picture of
// one size: the canvas, the place of the picture on it, the source rows and columns that are needed
// and an [Axis] of taps for each direction. [Tables] keeps the axes of recurring sizes.
//
// # Geometry
//
//   - Stretch: torchvision's v2.Resize((h, w)).
//   - Fit: Pillow's ImageOps.pad, its rounding (halves to even). One deviation: a side that Pillow
//     would round to nothing keeps one pixel, so that no picture disappears.
//   - Cover: Pillow's ImageOps.fit with centering (0.5, 0.5). The part of the source is fractional, in
//     single precision as in Pillow's resize(box=...).
//   - Shorter: torchvision's v2.Resize(n); the longer side is truncated.
//   - Crop: torchvision's v2.CenterCrop((h, w)); halves to even, and PadColor around a picture that is
//     smaller than the crop. Moved off the middle: its crop, and pad where that reaches beyond.
//   - Box: torchvision's crop(top, left, height, width) before all of these; with Stretch its
//     resized_crop.
//   - FlipX, FlipY: its horizontal_flip and vertical_flip after all of these.
//
// # Training
//
// [Augment] draws the random geometry of training for a Spec: [RandomResizedCrop] draws a Box,
// [RandomCrop] the place of the crop, both by torchvision's rules, and flips come with a probability.
// The numbers belong to the sample (package order), so a draw depends on seed, epoch and sample alone.
// Colours are not augmented: a jitter of brightness, contrast, saturation and hue in random order, as
// torchvision has it, needs passes of its own, and is cheaper behind the resize, on the device as a rule.
//
// # Taps
//
// Windows and weights follow Pillow (libImaging/Resample.c, precompute_coeffs), which PyTorch took
// over (aten/src/ATen/native/cpu/UpSampleKernel.cpp): output i has its centre at
// c = lo + (i + 0.5) * scale, reaches s = support * max(scale, 1) to both sides, and takes the pixels
// from trunc(c - s + 0.5) to trunc(c + s + 0.5), as far as there are any. Supports are 1 (bilinear),
// 2 (bicubic, a = -0.5), 3 (Lanczos) and 0.5 (box). Weights are computed in double precision and
// normalised to a sum of 1.
//
// They become integers, rounded half away from zero; a pass sums weight times pixel, adds half of 2^p,
// shifts right by the precision p and clamps to what a sample holds. How many bits they have is the rule
// of a library, or ours:
//
//   - Bilinear and bicubic in [Exact] and [Fast]: 16 bits, as in PyTorch (_compute_index_ranges_int16_weights).
//     The axis has the largest p, at most 22, at which its largest weight times 2^p rounds to less than 2^15.
//     A horizontal pass, then a vertical one, give the bytes of torchvision's v2.Resize(antialias=True) on uint8.
//   - Lanczos and box, and every filter in profile [Pillow]: p is 22, as in Pillow (PRECISION_BITS), and the
//     vertical pass comes first where it does in Pillow 13: the bytes are Pillow's. That includes pictures
//     with alpha in profile Pillow, whose colours are weighted by it during the passes (Plan.Premultiply).
//   - Samples of 16 bits (Spec.Bits), in all profiles: p is 30, less where the largest weight times 2^30 does
//     not fit in 32 bits; sums have 64 bits, and pixels have 16 between the passes, the horizontal one first.
//     No library is followed: the result is within 1 of the same in double precision.
//
// Nearest is Pillow's NEAREST, without antialiasing: positions are accumulated as in ImagingScaleAffine. NearestFloor and
// NearestExact are torchvision's NEAREST and NEAREST_EXACT on bytes.
//
// An axis that changes nothing is an identity, and its pass is skipped, as in both libraries. Taps
// of weight zero at the ends of a window are dropped.
package resize
