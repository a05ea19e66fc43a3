// Package av is the binding to FFmpeg, based on go-astiav. It has inputs, packets, decoders and frames, conversion of
// frames for row sinks and plane sinks, graphs, bitstream filters, encoders and muxers.
//
//	c, err := call.Enter(ctx, 1)
//	...
//	defer c.Leave()
//	in, err := av.Open(c, spool.File("clip.mp4"), av.InputOptions{})
//	...
//	defer in.Close()
//	p, err := in.Parameters(in.Best(av.Video, -1))
//	...
//	decoder, err := av.NewDecoder(c, p, av.DecoderOptions{})
//
// A packet is read and sent to the decoder, which returns frames until it needs the next packet (Decoder.Receive is
// false). Codecs and Scaler reuse expensive objects for later files.
//
// Each release of go-astiav supports one FFmpeg: go.mod has the release for 5.1, and go.ffmpeg7.mod that for 7.1. The
// package uses only calls that both releases have, so there is one source. Calls that are missing or differ are written
// in C, which checks FFmpeg's version where necessary.
//
// Frames of DecoderOptions.CUDA stay in the memory of NVDEC (Frame.Surface). Codecs keeps decoders together with their
// session on the device. H.264 is an exception: FFmpeg ends its session at each flush, and so at each seek and file.
//
// FFmpeg's log is disabled for the process. An input is one file, memory, or a reader in Go. Its format is detected by
// content, and files or URLs that it names are not opened.
//
// Every method that does work takes a call.Call, and stops early when the call's context ends: at the next packet,
// read, or band of rows. Decoding of one frame is not interrupted. Handles MUST be closed, and packets and frames
// released. Each may be used by one goroutine at a time. Functions, Codecs and Scaler are safe for concurrent use. This
// package is internal to the module: no compatibility promise.
package av
