// Package annotation has what data sets say about places in an image: bounding boxes, points, and COCO's annotations
// with their masks. It is pure Go.
//
// [ParseBoxes] and [ParsePoints] read JSON and NPY arrays; [ParseCOCO] reads COCO's annotations of one image. A
// [Geometry] describes what a decoder did to that image, and [Boxes.Transform] and [Points.Transform] do the same to
// coordinates. [Boxes.Sanitize] removes boxes of which too little is left. [SemanticMask] and [InstanceMasks]
// make masks of COCO's polygons and run lengths. A mask has the size of the source image. It is resized as the image
// is, with a filter that picks pixels.
//
// # Coordinates
//
// Coordinates are pixels from the left and upper edge of the upright image. The results are those of torchvision 0.29's
// transforms v2 on tv_tensors.BoundingBoxes and KeyPoints, step by step and in single precision:
//
//   - A crop subtracts its left and upper edge, and clamps boxes to its size. Padding adds its width, and clamps boxes
//     to the canvas. A resize multiplies by the ratio of the sizes, and clamps nothing. Points are never clamped.
//   - A flip maps x of a box to width - x, as pixel i covers [i, i+1]. It maps x of a point to width - 1 - x, as a
//     point is a pixel's index. A resize multiplies both by the same ratio.
//   - Integers stay integers: a resize and a clamp truncate towards zero, and a conversion of formats rounds as
//     torchvision's does.
//
// One rule is not the image's. Torchvision's center_crop of an image that is smaller than the crop puts the image at
// half of the missing pixels, rounded down, but boxes and points at half of them, rounded to even. Where 3, 7, 11 ...
// pixels are missing, these are one pixel further than the image. [GeometryOf] follows torchvision.
//
// # Concurrency
//
// All types are values. Functions do not change their arguments, and results do not share their memory, except as
// documented.
package annotation
