// Package vips loads images with bare libvips, for benchmarks of the lane that uses it.
package vips
