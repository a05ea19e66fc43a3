// Package dlpacktest takes DLPack tensors as another library would, for tests: it knows the binary interface by numbers
// of its own.
//
// Packages of this module only: no compatibility promise.
package dlpacktest
