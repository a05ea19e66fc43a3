#ifndef SPOOL_CUDA_WITHIN_H
#define SPOOL_CUDA_WITHIN_H

#include "bridge.h"
#include "failure.h"

static inline int push(const spool_cuda *d, CUcontext c, spool_cuda_failure *f)
{
    return spool_cuda_fail(d, "cuCtxPushCurrent_v2", d->cuCtxPushCurrent_v2(c), f) == CUDA_SUCCESS;
}

/* Pops the context, also after a failed call. Returns the first error. */
static inline CUresult pop(const spool_cuda *d, const char *call, CUresult code, spool_cuda_failure *f)
{
    CUcontext old;
    const CUresult popped = d->cuCtxPopCurrent_v2(&old);

    if (code != CUDA_SUCCESS)
        return spool_cuda_fail(d, call, code, f);
    f->done = popped != CUDA_SUCCESS;
    return spool_cuda_fail(d, "cuCtxPopCurrent_v2", popped, f);
}

#define WITHIN(entry, ...) (push(d, c, f) ? pop(d, #entry, d->entry(__VA_ARGS__), f) : f->code)

/*
 * For calls that release a resource. If pushing the context fails, it pushes once more to release it, and returns the
 * first error.
 */
#define ENDING(entry, ...)                                                            \
    (push(d, c, f) ? pop(d, #entry, d->entry(__VA_ARGS__), f)                         \
     : push(d, c, &(spool_cuda_failure){0})                                           \
         ? (pop(d, #entry, d->entry(__VA_ARGS__), &(spool_cuda_failure){0}), f->code) \
         : f->code)

#endif
