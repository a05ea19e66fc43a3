// Package device calls the CUDA driver without other code, for benchmarks of copies of batches to a device.
//
// The package is for this module only and makes no compatibility promise.
package device
