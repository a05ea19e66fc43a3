#ifndef SPOOL_CANCEL_H
#define SPOOL_CANCEL_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* The result of a C function that stopped because its flag was set. No library uses this code. */
#define SPOOL_CANCELLED (-100001)

/* Values of a flag besides 0 and negative ones. */
enum { SPOOL_ENDED = 1, SPOOL_LATE = 2, SPOOL_SPENT = 3 };

/*
 * What the flag of a call with a budget of processor time points to; Go's type clock has the same layout. Once the flag
 * is SPOOL_LATE, each poll adds the thread's processor time since the last poll.
 */
typedef struct {
    int32_t flag;
    int32_t counting; /* thread and since are set */
    uint64_t thread;
    int64_t since; /* nanoseconds */
    int64_t *left; /* of the budget, which calls in other threads may use, too */
} spool_clock;

/* Reports whether a late call has spent its budget. Polls of other threads than the last one begin to count anew. */
static inline int spool_spent(volatile int32_t *flag)
{
    spool_clock *c = (spool_clock *)(uintptr_t)flag;
    struct timespec t;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0)
        return 0;
    const int64_t now = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    const uint64_t thread = (uint64_t)(uintptr_t)pthread_self();
    int64_t used = 0;
    if (__atomic_load_n(&c->counting, __ATOMIC_RELAXED) && __atomic_load_n(&c->thread, __ATOMIC_RELAXED) == thread)
        used = now - __atomic_load_n(&c->since, __ATOMIC_RELAXED);
    __atomic_store_n(&c->since, now, __ATOMIC_RELAXED);
    __atomic_store_n(&c->thread, thread, __ATOMIC_RELAXED);
    __atomic_store_n(&c->counting, 1, __ATOMIC_RELAXED);
    if (__atomic_sub_fetch(c->left, used, __ATOMIC_RELAXED) > 0)
        return 0;
    int32_t late = SPOOL_LATE;
    __atomic_compare_exchange_n(flag, &late, SPOOL_SPENT, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return 1;
}

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
    if (set == SPOOL_LATE)
        return spool_spent((volatile int32_t *)flag);
    return set >= 0 ? set : spool_cancelled_by_count((volatile int32_t *)flag);
}

#endif
