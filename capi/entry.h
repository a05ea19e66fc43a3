#ifndef SPOOL_ENTRY_H
#define SPOOL_ENTRY_H

#include "spool.h"

/* Whether this is a forked child of a process that had the library: Go cannot be entered. */
int spool_entry_forked(void);

/* Says so in error, and gives SPOOL_FORKED. */
int32_t spool_entry_refuse(spool_error *error);

/* What every function begins with that enters Go and can fail. */
#define SPOOL_ENTER(error)                    \
    do {                                      \
        if (spool_entry_forked())             \
            return spool_entry_refuse(error); \
    } while (0)

#endif
