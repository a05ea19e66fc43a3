// Package ranges reads parts of an object that lies far away, for somebody who asks for a few bytes at a time, as demuxers do.
//
// Each read of such an object is a request, which takes a round trip whatever its size. A [Reader] makes few of many: what is
// known to be needed ([Reader.Expect]) is asked for side by side, what is read on from where a read ended is asked for in ever
// larger pieces in front of who reads it, and what is read anywhere else costs a block.
//
// It knows nothing of media. What it gives is what the object gave: an object that notices that it was changed between two
// requests says so itself.
package ranges
