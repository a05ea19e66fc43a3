// Package container reads containers of video and audio: local objects, and remote ones, whose ranges are prefetched
// before a demuxer reads them. An Input is open from Open to Close, and is for one goroutine at a time.
package container
