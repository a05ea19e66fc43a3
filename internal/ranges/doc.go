// Package ranges serves many small reads of a remote object, as demuxers issue them, by few requests.
//
// Each read of a remote object is a request, which takes a round trip whatever its size. A [Reader] merges reads into
// fewer requests. Ranges that are known to be needed ([Reader.Expect]) are requested concurrently. For sequential
// reads, the reader requests ever larger ranges ahead of the current offset. Any other read costs one block.
//
// A Reader is for one user of one object that announces its reads. It requests these bytes and no others. Announced
// ranges that exceed its memory wait until memory is released by completed reads. Announced bytes are evicted last, and
// only if the same user reads elsewhere. A cache works differently: it serves any reader, and evicts the least recently
// used blocks, announced or not. Package object has a cache of blocks for readers that announce nothing. The two are
// never stacked, since a Reader requests exact ranges, which bypass the cache (see Object).
//
// The package knows nothing of media. It returns the bytes of the object unchanged. An object that detects a
// modification between two requests reports it by an error.
package ranges
