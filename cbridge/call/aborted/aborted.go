// Package aborted gives crashes of the process exit code 3 and the last line
//
//	spool: internal: the process crashed
//
// on stderr, after the runtime's report. Commands import it for its side effect:
//
//	import _ "github.com/spoolmedia/spool/cbridge/call/aborted"
//
// By default the Go runtime ends crashes with exit code 2, which means wrong usage in the command. Crashes are signals
// in C code, unrecovered panics and fatal errors of the runtime.
//
// The package makes the runtime end with SIGABRT (debug.SetTraceback). The runtime forwards that signal to the handler
// that was installed before its own. This handler exits, so no core file is written. The report has the stacks of all
// goroutines.
//
// After a signal in C code, the runtime first asks each of its threads for a report, with SIGQUIT to its own process.
// It waits ten seconds for a thread that blocks this signal, as package os/signal's does, or if the program handles
// SIGQUIT. So a handler in front of the runtime's ends the process at that point. The report then lacks the stacks of
// goroutines that run on other threads. SIGQUIT from elsewhere is the runtime's.
//
// The first handler must be installed before the runtime's. Hence an import instead of a function. A library should
// leave the choice to the program.
//
// The package is for this module only and makes no compatibility promise.
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

static struct sigaction runtimes; // the runtime's handler of SIGQUIT

static void quit(int signal, siginfo_t *info, void *context)
{
    if (info->si_code == SI_USER && info->si_pid == getpid())
        aborted(signal);
    runtimes.sa_sigaction(signal, info, context);
}

static void await_report(void)
{
    sigaction(SIGQUIT, NULL, &runtimes);
    struct sigaction action = runtimes;
    action.sa_sigaction = quit;
    sigaction(SIGQUIT, &action, NULL);
}
*/
import "C"

import "runtime/debug"

func init() { //nolint:gochecknoinits // the effect is what it is imported for
	debug.SetTraceback("crash")
	C.await_report()
}
