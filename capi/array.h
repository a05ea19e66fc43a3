#ifndef SPOOL_CAPI_ARRAY_H
#define SPOOL_CAPI_ARRAY_H

#include "spool.h"

/*
 * Makes an array with one holder. Its memory is host memory, or an address of a device, which is not a pointer here.
 * The handle owner keeps the memory until it is closed. Returns NULL if there is no memory for the array itself.
 */
spool_array *spool_array_make(const spool_array_view *view, void *host, uint64_t device, uintptr_t owner);

/* The handle that keeps an array's memory. */
uintptr_t spool_array_owner(const spool_array *array);

/* The number of arrays. */
int64_t spool_array_count(void);

#endif
