// Package latetimers lets timers of the process fire up to a millisecond late, instead of the 50 microseconds of slack
// that Linux allows by default. Commands import it for its side effect:
//
//	import _ "github.com/spoolmedia/spool/cbridge/call/latetimers"
//
// When all processors are busy in C calls, the Go runtime's monitor wakes every 20 microseconds. It takes the processor
// from each call that it sees twice, so it must wake again. Each wake-up interrupts a decoder. With late timers there
// is a tenth of the wake-ups: photos take 10 % less time, WebP 11 % (bench images, two workers on two cores).
// Goroutines that wait for a processor get it up to 2 ms later.
//
// Threads inherit the slack when they start, so it must be set before the runtime starts threads. Hence an import
// instead of a function. A library should leave the choice to the program.
//
// The package is for this module only and makes no compatibility promise.
package latetimers

/*
#include <sys/prctl.h>

__attribute__((constructor)) static void late_timers(void) { prctl(PR_SET_TIMERSLACK, 1000000UL); }
*/
import "C"
