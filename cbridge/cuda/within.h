#ifndef SPOOL_CUDA_WITHIN_H
#define SPOOL_CUDA_WITHIN_H

#include "bridge.h"
#include "failure.h"

static inline int push(const spool_cuda *d, CUcontext c, spool_cuda_failure *f)
{
    return spool_cuda_fail(d, "cuCtxPushCurrent_v2", d->cuCtxPushCurrent_v2(c), f) == CUDA_SUCCESS;
}

/* Takes the context off again, whatever became of the call. The first failure is the one that is told. */
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

/* For what ends something: it is done also where a first attempt to push the context gave an error, which is told. */
#define ENDING(entry, ...)                                                            \
    (push(d, c, f) ? pop(d, #entry, d->entry(__VA_ARGS__), f)                         \
     : push(d, c, &(spool_cuda_failure){0})                                           \
         ? (pop(d, #entry, d->entry(__VA_ARGS__), &(spool_cuda_failure){0}), f->code) \
         : f->code)

#endif
