// Package av is all that spool does with FFmpeg, by way of go-astiav; so far it says what a file of
// video or sound holds.
//
//	c, err := call.Enter(ctx, 1)
//	...
//	defer c.Leave()
//	m, err := av.Probe(c, "clip.mp4")
//
// A tag of go-astiav fits one FFmpeg: go.mod has the one for 5.1, go.ffmpeg7.mod that for 7.1. Only calls that
// both tags have are used, so that there is one source; what is missing in one of them, or differs, is C of
// ours, which asks for FFmpeg's version where it has to.
//
// FFmpeg is silenced for the process. An input is one local file: its content decides what it is, and
// nothing that it names is opened.
//
// All functions are safe for concurrent use. Packages of this module only: no compatibility promise.
package av
