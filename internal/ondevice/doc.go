// Package ondevice decodes the samples of loaders on a CUDA device. The pixels come back to the samples' slots in host
// memory, so that batches are made as of other samples.
package ondevice
