// Package leaktest fails tests that leak goroutines or anything else that the caller counts: bytes of C memory, buffers
// in use, handles that only the garbage collector closed.
//
// A test calls [Check] in its first line to have its own leaks reported. A package calls [Main] once for all of its
// tests:
//
//	func TestMain(m *testing.M) {
//		leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse})
//	}
package leaktest
