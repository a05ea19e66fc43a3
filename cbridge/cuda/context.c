#include "bridge.h"
#include "failure.h"
#include "within.h"

CUresult spool_cuda_push(const spool_cuda *d, CUcontext c, spool_cuda_failure *f)
{
    push(d, c, f);
    return f->code;
}

CUresult spool_cuda_pop(const spool_cuda *d, spool_cuda_failure *f)
{
    return pop(d, NULL, CUDA_SUCCESS, f);
}

CUresult spool_cuda_memory(const spool_cuda *d, CUcontext c, size_t *free, size_t *total, spool_cuda_failure *f)
{
    return WITHIN(cuMemGetInfo_v2, free, total);
}

CUresult spool_cuda_alloc(const spool_cuda *d, CUcontext c, size_t n, CUdeviceptr *out, spool_cuda_failure *f)
{
    return WITHIN(cuMemAlloc_v2, out, n);
}

CUresult spool_cuda_free(const spool_cuda *d, CUcontext c, CUdeviceptr p, spool_cuda_failure *f)
{
    return ENDING(cuMemFree_v2, p);
}

CUresult spool_cuda_register(const spool_cuda *d, CUcontext c, void *p, size_t n, spool_cuda_failure *f)
{
    return WITHIN(cuMemHostRegister_v2, p, n, CU_MEMHOSTREGISTER_PORTABLE);
}

CUresult spool_cuda_unregister(const spool_cuda *d, CUcontext c, void *p, spool_cuda_failure *f)
{
    return ENDING(cuMemHostUnregister, p);
}

CUresult spool_cuda_to_device(const spool_cuda *d, CUcontext c, CUdeviceptr to, const void *from, size_t n,
                              uintptr_t stream, spool_cuda_failure *f)
{
    return WITHIN(cuMemcpyHtoDAsync_v2, to, from, n, (CUstream)stream);
}

CUresult spool_cuda_to_host(const spool_cuda *d, CUcontext c, void *to, CUdeviceptr from, size_t n, uintptr_t stream,
                            spool_cuda_failure *f)
{
    return WITHIN(cuMemcpyDtoHAsync_v2, to, from, n, (CUstream)stream);
}

CUresult spool_cuda_stream(const spool_cuda *d, CUcontext c, uintptr_t *out, spool_cuda_failure *f)
{
    return WITHIN(cuStreamCreate, (CUstream *)out, CU_STREAM_NON_BLOCKING);
}

CUresult spool_cuda_close_stream(const spool_cuda *d, CUcontext c, uintptr_t stream, spool_cuda_failure *f)
{
    return ENDING(cuStreamDestroy_v2, (CUstream)stream);
}

CUresult spool_cuda_finish(const spool_cuda *d, CUcontext c, uintptr_t stream, spool_cuda_failure *f)
{
    return WITHIN(cuStreamSynchronize, (CUstream)stream);
}

CUresult spool_cuda_wait_event(const spool_cuda *d, CUcontext c, uintptr_t stream, uintptr_t event,
                               spool_cuda_failure *f)
{
    return WITHIN(cuStreamWaitEvent, (CUstream)stream, (CUevent)event, 0);
}

/*
 * Without timing, which is cheaper. A thread that waits for the event sleeps, as it may wait as long as a batch takes.
 */
CUresult spool_cuda_event(const spool_cuda *d, CUcontext c, uintptr_t *out, spool_cuda_failure *f)
{
    return WITHIN(cuEventCreate, (CUevent *)out, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING);
}

CUresult spool_cuda_close_event(const spool_cuda *d, CUcontext c, uintptr_t event, spool_cuda_failure *f)
{
    return ENDING(cuEventDestroy_v2, (CUevent)event);
}

CUresult spool_cuda_record(const spool_cuda *d, CUcontext c, uintptr_t event, uintptr_t stream, spool_cuda_failure *f)
{
    return WITHIN(cuEventRecord, (CUevent)event, (CUstream)stream);
}

CUresult spool_cuda_wait(const spool_cuda *d, CUcontext c, uintptr_t event, spool_cuda_failure *f)
{
    return WITHIN(cuEventSynchronize, (CUevent)event);
}

CUresult spool_cuda_reached(const spool_cuda *d, CUcontext c, uintptr_t event, int *out, spool_cuda_failure *f)
{
    if (!push(d, c, f))
        return f->code;
    const CUresult code = d->cuEventQuery((CUevent)event);
    *out = code == CUDA_SUCCESS;
    return pop(d, "cuEventQuery", code == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : code, f);
}
