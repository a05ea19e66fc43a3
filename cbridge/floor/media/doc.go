// Package media runs FFmpeg with nothing around it, for benchmarks of what decodes video and sound, and of what
// resamples.
package media
