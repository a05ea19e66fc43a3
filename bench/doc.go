// Package bench reads and writes results of benchmarks. These parts measure:
//
//   - The benchmarks in this package's tests: photos decoded and resized, compared with bare libjpeg-turbo; and the
//     whole loader. Benchmarks of single packages are in these packages: kernels in cbridge/kernel, the pool in the
//     root, queues in pipe.
//   - codec: one format at a time, with the bare library, the lane, and each of its steps, for `spool bench codec`.
//   - compare, a command: the built spool and other loaders in turn, on the same files and the same work.
//   - soak, a command: whether memory stays flat over very many samples.
//   - scale, a command: many ranks that read from a store, simulated, for docs/scale.md.
//   - readme, a command: the tables of README.md, from the newest result of each work.
//   - peers: a virtual environment for the other loaders, torchvision's pixels as a reference, and random images on
//     which the promises of the profiles are tested.
//
// # Method
//
// Machines that run benchmarks also do other work. So runs that are compared follow one another directly, many times.
// Each run of another loader is next to a run of spool, and the floor decodes each photo that a step decodes. Ratios
// are medians over such pairs. CPU time is recorded with wall time, and with the load when a run began. Pixels are
// compared with torchvision's before anything is timed.
package bench
