// Package media runs FFmpeg without other code, for benchmarks of video and audio decoding and of resampling.
package media
