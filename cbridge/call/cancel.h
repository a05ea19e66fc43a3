#ifndef SPOOL_CANCEL_H
#define SPOOL_CANCEL_H

#include <stdint.h>

/* What a C function returns when it stopped because its flag was set; no library's code has this value. */
#define SPOOL_CANCELLED (-100001)

/*
 * Whether the caller has given up. To be polled once per strip of rows or packet. The flag is NULL for
 * a call that cannot be cancelled. Nothing is published through the flag, so relaxed order will do.
 */
static inline int spool_cancelled(const volatile int32_t *flag)
{
    return flag != 0 && __atomic_load_n(flag, __ATOMIC_RELAXED) != 0;
}

#endif
