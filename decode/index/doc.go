// Package index is the table of a video stream's packets, and what follows from it without decoding: which frames
// there are and when each is shown, which of them a time, a window or a sampling rule means, and which packets have to
// be decoded for a set of frames ([Index.Plan]). It is pure Go and knows no decoder.
//
// # Frames
//
// Frame n is the n-th in the order of presentation, from 0: each packet that is shown gives one, in the order of their
// pts. A packet that is to be decoded but not shown ([Discard]: what an edit list cuts off, [Hidden]: a reference of VP8
// that is never shown), the second field of a frame ([Field]) that has packets of its own, and one with the pts of another give none. A frame lasts
// until the next one begins; the last one as long as its packet says.
//
// Times are in seconds, float64(ticks * numerator) / denominator of the stream's time base, and compared as such: the
// time that an index gives for a frame finds this frame. They are the container's and need not begin at 0.
//
// # Groups of pictures
//
// A decoder may begin at a key packet. The packets from one to the next are a GOP. Where it is open, frames that come
// after the key packet but are shown before it (leading ones) need the GOP before as well. A container may say that a
// packet is a key packet when it is not; what the plan promises holds for those that are. A stream that is refreshed bit by bit
// (H.264's recovery points) may have none but its first packet: it is decoded from the front then, whatever is wanted of it.
//
// Packets are left out of a run only where they are [Disposable].
//
// # Files
//
// [Index.MarshalBinary] and [Decode] keep an index beside the data. It names the size and version of the file that it
// is of. A damaged index is an error, never another index.
//
// An Index is not changed after it is made, and may be used from any number of goroutines.
package index
