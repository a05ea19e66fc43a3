// Package fake is nvJPEG without a device, for tests: a shared library with the entry points that cbridge/nvjpeg
// uses, which decodes with libjpeg and writes into the memory of a fake driver (cbridge/cuda/fake), in its streams. It is never
// linked into a program: tests hand its file to whoever loads the real one.
//
// A state that is used while its pictures are under way, bytes that change before they are decoded, and calls without a
// context are violations. Any call can be made to fail.
//
// What it does not have: damage that goes unnoticed, and pixels that differ from libjpeg's.
package fake
