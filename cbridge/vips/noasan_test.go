//go:build !asan

package vips_test

const freedMemoryStays = false
