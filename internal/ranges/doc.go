// Package ranges keeps bytes of remote objects that were requested before a reader needed them.
//
// Each read of a remote object is a request, which takes a round trip whatever its size. Two front ends merge reads
// into fewer requests:
//
//   - A [Reader] is for one user that knows what it reads, such as a demuxer. Planned ranges ([Reader.Expect]) are
//     requested concurrently. For sequential reads, it requests ever larger ranges ahead of the current offset. It
//     requests exact ranges, and each byte is read about once.
//   - [Blocks] are for readers that announce nothing and may return to any byte, such as a parser of an archive's
//     directory. Their requests are aligned to blocks, which all readers of the object share.
//
// # Memory
//
// Both keep their bytes in a [Store], which takes memory from a spool.Pool. The pool's ceiling holds for all objects of
// the store together. A range in memory is one of three:
//
//   - planned: kept until it is read to its end. Only its own reader may evict it before, for a read that it did not
//     plan and for which nothing else can be evicted.
//   - unread: requested by read-ahead. It is evicted only for a read that waits.
//   - free: read to its end, or a block. It is evicted for any request, the least recently used one first.
//
// Prefetched ranges that find no memory are not requested yet. They follow when other ranges become free, or when they
// are read. A read that finds no memory is requested directly into the memory of its caller.
//
// # Freedom from deadlock
//
// Nothing in this package waits for memory: it only calls Pool.TryGet. Readers wait for requests in flight, which have
// their memory and end with their context, and for the store's lock, which is never held during a request. So no reader
// waits for another one, and a read makes progress at any ceiling, including zero.
//
// A store releases memory when its users read, evict or close, and not when a caller waits for the pool. So no other
// caller may wait for memory of the same pool (Pool.Get, Pool.Sub). That could deadlock: the store may keep the memory
// for a reader that waits for this caller. A user that must be certain of its memory sets it aside before it begins, in
// an order that cannot deadlock, and gives the store that part (Pool.Sub). The loader does so for each clip of remote
// video.
//
// The package knows nothing of media. It returns the bytes of the object unchanged. An object that detects a
// modification between two requests reports it by an error.
package ranges
