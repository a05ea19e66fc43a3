#include <sys/prctl.h>

// Timers of the library's own threads may be late by a millisecond, as those of the command (cbridge/call/latetimers,
// which says what that is good for): without, each decoder is interrupted every 20 microseconds. Slack goes from a
// thread to those that it begins. So the thread that loads the library has it while Go's runtime begins, and then what
// it had: Go's constructor has no priority, comes first of the objects that have none, and so lies between these two.
enum { SLACK_NS = 1000000 };

static int had = -1;

__attribute__((constructor(101))) static void late_timers(void)
{
    had = prctl(PR_GET_TIMERSLACK);
    prctl(PR_SET_TIMERSLACK, (unsigned long)SLACK_NS);
}

__attribute__((constructor)) static void exact_timers(void)
{
    if (had >= 0)
        prctl(PR_SET_TIMERSLACK, (unsigned long)had);
}
