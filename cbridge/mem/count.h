/*
 * Allocators that count their failures. Before this file is included, OUR(f) is the name of the definition of f, and
 * NEXT(f) the function that it calls. A call without memory adds one to spool_failed_allocations; others cost a branch.
 */
#ifndef SPOOL_COUNT_H
#define SPOOL_COUNT_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

uint64_t spool_failed_allocations;

/* Counts a failure if p is NULL and bytes were wanted. Returns p. */
static inline void *spool_counted(void *p, int wanted)
{
    if (__builtin_expect(p == NULL && wanted, 0))
        __atomic_fetch_add(&spool_failed_allocations, 1, __ATOMIC_SEQ_CST);
    return p;
}

void *OUR(malloc)(size_t n)
{
    return spool_counted(NEXT(malloc)(n), n > 0);
}

void *OUR(calloc)(size_t n, size_t size)
{
    return spool_counted(NEXT(calloc)(n, size), n > 0 && size > 0);
}

void *OUR(realloc)(void *p, size_t n)
{
    return spool_counted(NEXT(realloc)(p, n), n > 0);
}

void *OUR(memalign)(size_t align, size_t n)
{
    return spool_counted(NEXT(memalign)(align, n), n > 0);
}

void *OUR(aligned_alloc)(size_t align, size_t n)
{
    return spool_counted(NEXT(aligned_alloc)(align, n), n > 0);
}

int OUR(posix_memalign)(void **p, size_t align, size_t n)
{
    const int code = NEXT(posix_memalign)(p, align, n);
    if (__builtin_expect(code == ENOMEM, 0))
        spool_counted(NULL, 1);
    return code;
}

#endif
