// Package codec measures the decoding of one format at a time: the bare library, spool's lane, and those of their steps
// that can be run separately.
//
// The floor is the reference library of the format, which decodes to RGB and does nothing else. The cost of a step is
// reported as time for a pixel of the image, and as a multiple of the floor's time on the same images in the same run.
//
// # Method
//
// Images are in memory. Before an image is timed, the pixels of the bare library are compared with the lane's, and the
// pixels of both ways to the resized image with each other. An image whose pixels differ is refused. Then the steps run
// in rounds, in another random order each, and each on all images in turn. A step that ran on one image repeatedly
// would be faster than in a loader, since the CPU's branch predictors learn the image. The fastest run of each step and
// image counts, since other work of the machine only adds time. The times are summed up over all images, and the sums
// are compared.
//
// `spool bench codec` prints the result of [Bench.Results]. The benchmarks of this package run the same steps.
package codec
