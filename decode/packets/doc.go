// Package packets holds compressed packets of video and audio.
//
// Packets come from video.Video.Packets and audio.Decoder.Packets. They can be cloned, changed by bitstream filters,
// and decoded later by video.Decoder.OpenPackets or a graph. They can also be passed to another process as bytes, which
// it reads in place ([View]).
//
// [Collector], [Reader] and the exported fields of [Packets] serve the packages that decode; they refer to types of
// cbridge, which have no compatibility promise.
package packets
