#ifndef SPOOL_ENTRY_H
#define SPOOL_ENTRY_H

#include "spool.h"

/* Reports whether this process was forked from one that had loaded the library, so that Go must not be entered. */
int spool_entry_forked(void);

/* The library's file, as the loader found it. */
const char *spool_entry_file(void);

/* Fills error and returns SPOOL_FORKED. */
int32_t spool_entry_refuse(spool_error *error);

/* The first statement of every function that enters Go and can fail. */
#define SPOOL_ENTER(error)                    \
    do {                                      \
        if (spool_entry_forked())             \
            return spool_entry_refuse(error); \
    } while (0)

#endif
