// Package vips loads images with bare libvips, for benchmarks of the lane that uses it.
//
// The package is for this module only and makes no compatibility promise.
package vips
