// Package vips has bare libvips load pictures, for benchmarks of the lane on top of it.
package vips
