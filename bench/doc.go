// Package bench reads and writes results of benchmarks. The measuring is around it:
//
//   - benchmarks of this package's tests: photos decoded and resized beside bare libjpeg-turbo, and the whole
//     loader. Those of a single part lie with the part: kernels in cbridge/kernel, the pool in the root,
//     hand-off in pipe.
//   - codec: one format at a time, the bare library beside the lane beside each step, for `spool bench codec`.
//   - compare, a command: the built spool and other loaders in turn, on the same files and the same work.
//   - soak, a command: peak memory after a thousand pictures and after a hundred thousand.
//   - readme, a command: the tables of README.md, from the newest result of each work.
//   - peers: a virtual environment for the others, what torchvision makes of pictures, and random pictures
//     on which the profiles are held to what they promise.
//
// # Method
//
// Machines that run benchmarks do other things as well. So what is compared runs right after one another, again and again:
// every run of another loader stands beside one of spool, every photo that a step decodes is decoded by the floor, too.
// Ratios are medians over such pairs. CPU time is recorded beside wall time, and the load when a run began.
// Pixels are compared with torchvision's before anything is timed.
package bench
