// Package device calls the CUDA driver with nothing around it, for benchmarks of what copies batches to a device.
package device
