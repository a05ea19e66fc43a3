// Package ranges reads parts of an object that lies far away, for somebody who asks for a few bytes at a time, as demuxers do.
//
// Each read of such an object is a request, which takes a round trip whatever its size. A [Reader] makes few of many: what is
// known to be needed ([Reader.Expect]) is asked for side by side, what is read on from where a read ended is asked for in ever
// larger pieces in front of who reads it, and what is read anywhere else costs a block.
//
// It is for one reader of one object who says what comes next: these bytes are fetched and no others, what does not fit in its
// memory waits until room is made by what was read, and what was expected goes last, for nobody but the same reader where it reads
// elsewhere. A cache does the contrary: it serves whoever comes, and gives up what nobody has used for longest, expected or
// not. Package object has one, of blocks, for those who say nothing. The two never lie on top of each other, since this one asks
// for the very bytes (see Object).
//
// It knows nothing of media. What it gives is what the object gave: an object that notices that it was changed between two
// requests says so itself.
package ranges
