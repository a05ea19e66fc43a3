#ifndef SPOOL_CANCEL_H
#define SPOOL_CANCEL_H

#include <stdint.h>

/* What a C function returns when it stopped because its flag was set; no library's code has this value. */
#define SPOOL_CANCELLED (-100001)

/* A flag below zero counts the looks at it, and is set by the last one. Tests use it. */
static inline int spool_cancelled_by_count(volatile int32_t *flag)
{
    return __atomic_add_fetch(flag, 1, __ATOMIC_RELAXED) == 0 ? (__atomic_store_n(flag, 1, __ATOMIC_RELAXED), 1) : 0;
}

/*
 * Whether the caller has given up. To be polled often enough that a twentieth of the work or less lies between two
 * looks. The flag is NULL for a call that cannot be cancelled. Nothing is published through the flag, so relaxed order
 * will do.
 */
static inline int spool_cancelled(const volatile int32_t *flag)
{
    if (flag == 0)
        return 0;
    const int32_t set = __atomic_load_n(flag, __ATOMIC_RELAXED);
    return set >= 0 ? set : spool_cancelled_by_count((volatile int32_t *)flag);
}

#endif
