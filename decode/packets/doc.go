// Package packets holds compressed packets of video and audio.
//
// Packets come from video.Video.Packets and audio.Decoder.Packets. They can be cloned, changed by bitstream filters,
// and decoded later by video.Decoder.OpenPackets or a graph. They can also be passed to another process as bytes, which
// it reads in place ([View]).
package packets
