// Package media runs FFmpeg without other code, for benchmarks of video and audio decoding and of resampling.
//
// The package is for this module only and makes no compatibility promise.
package media
