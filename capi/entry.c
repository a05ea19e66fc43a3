#define _GNU_SOURCE /* dladdr */
#include "entry.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static volatile int forked;

static void in_child(void)
{
    forked = 1;
}

/* Go's runtime starts when the library is loaded, so a fork from then on is not supported. */
__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(0, 0, in_child);
}

int spool_entry_forked(void)
{
    return forked;
}

const char *spool_entry_file(void)
{
    Dl_info found;
    return dladdr((void *)&forked, &found) ? found.dli_fname : "";
}

int32_t spool_entry_refuse(spool_error *error)
{
    if (error) {
        memset(error, 0, sizeof *error);
        error->status = SPOOL_FORKED;
        strcpy(error->error_class, "forked");
        strcpy(error->op, "enter");
        strcpy(error->text, "this process was forked from one that had loaded the library, which does not survive "
                            "that: load it first in the "
                            "child, or start the child by spawn or forkserver");
    }
    return SPOOL_FORKED;
}
