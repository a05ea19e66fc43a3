// Package latetimers is imported by commands, for its effect: timers of the process may be late by a
// millisecond, instead of the 50 microseconds that Linux allows them otherwise.
//
//	import _ "github.com/spoolmedia/spool/cbridge/call/latetimers"
//
// Where every processor is busy in a call to C, the Go runtime's monitor asks for a wake-up each 20
// microseconds, takes away the processors of calls that are seen twice, and so has to ask again. Each
// time a decoder is interrupted. With wake-ups that may be late these are a tenth as many: photos cost
// 10 % less time, WebP 11 % (bench images, two workers on two cores). Goroutines that wait for a
// processor get it up to 2 ms later.
//
// Slack is inherited by threads as they begin, so it has to be set before the runtime's: hence an
// import and not a function. A library should leave it to the program.
package latetimers

/*
#include <sys/prctl.h>

__attribute__((constructor)) static void late_timers(void) { prctl(PR_SET_TIMERSLACK, 1000000UL); }
*/
import "C"
