// Package aborted is imported by commands, for its effect: a crash of the process ends with exit code 3 and the last line
//
//	spool: internal: the process crashed
//
// on stderr, behind the runtime's report. Without it the Go runtime ends crashes with code 2: a signal in C code, a
// panic of a goroutine that nobody recovers, a fatal error of the runtime. In the command 2 means wrong usage.
//
//	import _ "github.com/spoolmedia/spool/cbridge/call/aborted"
//
// The runtime is told to end by SIGABRT (debug.SetTraceback), and passes that signal on to the handler that was there
// before its own. The handler exits, so that no core file is written. The report has the stacks of all goroutines.
//
// The handler has to be there before the runtime's: hence an import and not a function. A library should leave it to
// the program.
package aborted

/*
#include <signal.h>
#include <unistd.h>

enum { INTERNAL_ERROR = 3 };

static void aborted(int signal)
{
    static const char line[] = "spool: internal: the process crashed\n";
    const ssize_t written = write(STDERR_FILENO, line, sizeof line - 1);
    (void)written;
    (void)signal;
    _exit(INTERNAL_ERROR);
}

__attribute__((constructor)) static void await_abort(void)
{
    struct sigaction action = {.sa_handler = aborted, .sa_flags = SA_ONSTACK};
    sigaction(SIGABRT, &action, NULL);
}
*/
import "C"

import "runtime/debug"

func init() { //nolint:gochecknoinits // the effect is what it is imported for
	debug.SetTraceback("crash")
}
