// Package inject runs a command in which chosen system calls fail, for tests.
//
// The kernel announces each chosen call of the command and of its children (seccomp's user notification), and waits
// for the test's decision. The call goes on, fails with an error, or transfers fewer bytes. A test may also change a
// file or end the command at that moment. Go's calls and those of C libraries are alike.
//
//	the test                                  the command
//	Run: starts itself -------------------->  Main: installs the filter, sends its descriptor, becomes the command
//	Decide(Call) <---- notification --------  openat, read, write, ...
//	Outcome      ---- response ------------>
//
// Allocations of C are not system calls. [Allocator] builds a library for LD_PRELOAD, which counts them and makes one
// fail. Nor are readings of a clock, which come from memory that the kernel shares: [ClockCalls] builds a library that
// makes them calls.
package inject
