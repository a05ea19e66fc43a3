// Package av is all that spool does with FFmpeg, by way of go-astiav; so far it says what a file of
// video or sound holds.
//
//	c, err := call.Enter(ctx, 1)
//	...
//	defer c.Leave()
//	m, err := av.Probe(c, "clip.mp4")
//
// A tag of go-astiav fits one FFmpeg. What differs between those that spool builds on stands in
// ffmpeg5.go; what the tag lacks, in demux.c.
//
// FFmpeg is silenced for the process. An input is one local file: its content decides what it is, and
// nothing that it names is opened.
//
// All functions are safe for concurrent use. Packages of this module only: no compatibility promise.
package av
