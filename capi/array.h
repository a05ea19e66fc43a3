#ifndef SPOOL_CAPI_ARRAY_H
#define SPOOL_CAPI_ARRAY_H

#include "spool.h"

/*
 * Makes an array with one holder, of memory that the handle owner keeps until it is closed: of the host's, or at an
 * address of a device, which is no pointer here. NULL: no memory.
 */
spool_array *spool_array_make(const spool_array_view *view, void *host, uint64_t device, uintptr_t owner);

/* How many there are. */
int64_t spool_array_count(void);

#endif
