//go:build !asan

package av_test

const freedMemoryStays = false
