// Package dlpacktest imports DLPack tensors as another library would, for tests. It has its own offsets of the binary
// interface, independent of package dlpack.
//
// This package is internal to the module: no compatibility promise.
package dlpacktest
