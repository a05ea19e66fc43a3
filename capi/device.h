#ifndef SPOOL_CAPI_DEVICE_H
#define SPOOL_CAPI_DEVICE_H

#include "spool.h"

/* Calls the caller's function that allocates memory of a device. The result is 0 without memory. */
uintptr_t spool_device_alloc(uintptr_t function, int64_t size, int number, uintptr_t stream);

/* Calls the caller's function that frees it. */
void spool_device_dealloc(uintptr_t function, uintptr_t memory, int64_t size, int number, uintptr_t stream);

#endif
