// Package abortedtest crashes the process in each way that package aborted handles. It is for tests.
//
// The package is for this module only and makes no compatibility promise.
package abortedtest

/*
#include <stdint.h>
#include <stdlib.h>

static int load(volatile int *address) { return *address; }
static int segfault(void) { return load((volatile int *)(uintptr_t)8); }
static void illegal(void) { __builtin_trap(); }
*/
import "C"

import "sync"

// Crashes maps the name of a crash to a function. Each function ends the process.
var Crashes = map[string]func(){
	"abort in C":               func() { C.abort() },
	"segmentation fault in C":  func() { C.segfault() },
	"illegal instruction in C": func() { C.illegal() },
	"panic of a goroutine":     func() { go panic("of a goroutine"); select {} },
	"fatal error of Go":        func() { new(sync.Mutex).Unlock() },
}
