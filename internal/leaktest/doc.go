// Package leaktest fails tests that leak goroutines, or whatever the caller counts (C bytes, handles closed by the
// garbage collector, buffers in use).
//
// A package calls it once, for all of its tests:
//
//	func TestMain(m *testing.M) {
//		leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse})
//	}
//
// A test that needs its leaks reported separately calls [Check] in its first line.
package leaktest
