#include <sys/prctl.h>

// Timers of the library's threads may be late by a millisecond, like those of the command: cbridge/call/latetimers
// explains the gain. Without this, each decoder is interrupted every 20 microseconds. Threads inherit the slack from
// the thread that starts them. So the loading thread has this slack while Go's runtime starts, and its former slack
// afterwards. Go's constructor has no priority and is the first of the objects without one, so it runs between the two
// constructors below.
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
