//go:build asan

package av_test

// The address sanitizer keeps freed memory for a while.
const freedMemoryStays = true
