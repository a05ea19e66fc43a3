// Package decode holds what the decoders of all media share: limits, memory, resize weights, and the words in which
// they speak of colors, damage and media. It links no codec.
//
// A program makes one [Decoder], and with it the decoders of the media that it needs. A decoder of a medium is made by
// the New of its package, and closed before the Decoder:
//
//   - package image decodes images and animations.
//   - package video decodes frames of videos, by number and by time.
//   - package audio decodes audio.
//   - package graph runs FFmpeg's filter graphs over video and audio.
//   - package device decodes images on a CUDA device.
//   - package packets holds compressed packets, package index the packets of a video as a table, and package wav reads
//     WAV files.
//   - package probe finds out what a file of any medium holds.
//
// # Ownership, concurrency, cancellation
//
// Data, objects and destinations are lent for the duration of the call, or until an opened video or audio is closed.
// Results are owned by the caller. Decoders are safe for use by any number of goroutines; an opened video or audio is
// for one goroutine at a time. The number of concurrent calls into C is bounded for the process; a call waits for
// admission until its context ends. After its context ended, a call returns an error for which errors.Is(err,
// context.Canceled) or context.DeadlineExceeded holds.
//
// # Untrusted input
//
// Limits are on by default (see [Limits]) and are checked before memory is allocated. Bad input gives an error with a
// class (spool.ErrTruncated, spool.ErrCorrupt, ...), never a panic, and does not affect other calls.
package decode
