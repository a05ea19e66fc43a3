// Package device decodes batches of JPEG images with nvJPEG on a CUDA device.
//
// A [Decoder] is opened by [New]. A batch of images is laid out in one block of device memory ([Decoder.Plan]) and
// decoded into it on a stream ([Batch.Decode]). Images that nvJPEG does not take are decoded by the host, with the
// reason reported. The pixels are not exactly those of the host, so a device is only used on request.
package device
