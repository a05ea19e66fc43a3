// Package codec measures the decoding of one format at a time: the bare library, spool's lane, and the steps
// that these consist of, as far as they can be run by themselves.
//
// The floor is the library that the format is known by, decoding to RGB and doing nothing else. What a step costs is
// given as time a pixel of the picture, and as a multiple of the floor's time on the same pictures in the same run.
//
// # Method
//
// Pictures are in memory. Before one is timed, its pixels from the bare library are compared with the lane's, and those
// of both ways to the resized picture; a picture whose pixels differ is refused. Then the steps take turns on it, in an
// order that is drawn anew for each round. Of each step and picture the fastest turn counts, since whatever else the
// machine does only adds to it. These are summed up over all pictures, and the sums are compared.
//
// `spool bench codec` prints what [Bench.Results] gives; this package's benchmarks run the same steps.
package codec
