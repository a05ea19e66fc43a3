// Package imageops applies the steps of package augment to images of bytes, in place: colors, sharpness, rectangles and
// affine maps, with the pixels of torchvision's transforms v2 on uint8 tensors. Steps that map bytes to bytes, such as
// brightness and equalization, are joined in tables and share one pass over the image.
//
// Arithmetic is in single precision without fused operations, and every instruction set gives the same bytes.
//
// The package serves decode and makes no compatibility promise.
package imageops
