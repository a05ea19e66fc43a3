// Package device calls the CUDA driver without other code, for benchmarks of copies of batches to a device.
package device
