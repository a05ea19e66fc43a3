// Package av is all that spool does with FFmpeg, by way of go-astiav: inputs, packets, decoders and frames;
// pixels of frames to row sinks and plane sinks; graphs, bitstream filters, encoders and muxers.
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
// A packet that is read is sent to the decoder, which gives frames until it wants the next (Decoder.Receive is
// false). Codecs and Scaler keep what is expensive to make from one file to the next.
//
// A tag of go-astiav fits one FFmpeg: go.mod has the one for 5.1, go.ffmpeg7.mod that for 7.1. Only calls that
// both tags have are used, so that there is one source; what is missing in one of them, or differs, is C of
// ours, which asks for FFmpeg's version where it has to.
//
// Frames of DecoderOptions.CUDA stay where NVDEC left them (Frame.Surface). Decoders are kept by Codecs with their session on
// the device, but for H.264, of which FFmpeg ends it at each flush, and so at each seek and file.
//
// FFmpeg is silenced for the process. An input is one file, or memory, or a reader in Go: its content decides what it
// is, and nothing that it names is opened.
//
// Every method that works takes the call it works in, and ends early with that call's context: at the next
// packet, or read, or band of rows; one frame's decoding is not interrupted. Handles MUST be closed, packets and
// frames released. They belong to one goroutine at a time; functions, Codecs and Scaler are safe for
// concurrent use. Packages of this module only: no compatibility promise.
package av
