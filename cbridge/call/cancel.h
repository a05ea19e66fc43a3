#ifndef SPOOL_CANCEL_H
#define SPOOL_CANCEL_H

#include <stdint.h>

/* The result of a C function that stopped because its flag was set. No library uses this code. */
#define SPOOL_CANCELLED (-100001)

/* A negative flag counts polls: the flag is set when the count reaches zero. Used by tests. */
static inline int spool_cancelled_by_count(volatile int32_t *flag)
{
    return __atomic_add_fetch(flag, 1, __ATOMIC_RELAXED) == 0 ? (__atomic_store_n(flag, 1, __ATOMIC_RELAXED), 1) : 0;
}

/*
 * Reports whether the call is cancelled. Poll it often enough that at most a twentieth of the work is done between two
 * polls. The flag is NULL for a call that cannot be cancelled. No data is published through the flag, so relaxed order
 * suffices.
 */
static inline int spool_cancelled(const volatile int32_t *flag)
{
    if (flag == 0)
        return 0;
    const int32_t set = __atomic_load_n(flag, __ATOMIC_RELAXED);
    return set >= 0 ? set : spool_cancelled_by_count((volatile int32_t *)flag);
}

#endif
