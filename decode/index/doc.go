// Package index is the table of a video stream's packets. It answers without decoding which frames exist and when each
// is shown. It maps a time, a window or a sampling rule to frames, and it plans which packets have to be decoded for a
// set of frames ([Index.Plan]). It is pure Go and independent of any decoder.
//
// # Frames
//
// Frame n is the n-th in presentation order, from 0: each shown packet gives one frame, ordered by pts. These packets
// give no frame of their own:
//
//   - Packets that an edit list cuts off ([Discard]), and VP8 reference frames that are never shown ([Hidden]). They
//     are decoded, but not shown.
//   - The second field of a frame ([Field]), if the fields have separate packets.
//   - A packet with the pts of another.
//
// A frame lasts until the next one begins; the last one lasts as long as its packet's duration.
//
// Times are in seconds, float64(ticks * numerator) / denominator of the stream's time base, and are compared as such:
// the time that an index gives for a frame finds this frame. They are those of the container and need not begin at 0.
//
// # Groups of pictures
//
// A decoder may begin at a key packet. The packets from one key packet to the next are a GOP. In an open GOP, frames
// that follow the key packet but are shown before it (leading frames) also need the GOP before. A container may mark a
// packet as a key packet although it is not; the guarantees of a plan hold for correctly marked ones. A stream with
// gradual refresh (H.264's recovery points) may have its first packet as the only key packet. It is then decoded from
// the beginning for any frame.
//
// Only [Disposable] packets are left out of a run.
//
// # Files
//
// [Index.MarshalBinary] and [Unmarshal] store an index, for example next to the data. It contains the size and version
// of the file that it describes. Decoding a damaged index gives an error, never a wrong index.
//
// An Index does not change after it is made, and is safe for use by any number of goroutines.
package index
