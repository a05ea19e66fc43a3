//go:build asan

package vips_test

// The address sanitizer keeps freed memory for a while.
const freedMemoryStays = true
