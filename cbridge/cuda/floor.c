#include "bridge.h"
#include "within.h"

static CUresult copies(const spool_cuda *d, CUdeviceptr p, void *memory, size_t n, int back, int times, CUstream stream)
{
    CUresult code = CUDA_SUCCESS;

    for (int i = 0; i < times && code == CUDA_SUCCESS; i++)
        code = back ? d->cuMemcpyDtoHAsync_v2(memory, p, n, stream) : d->cuMemcpyHtoDAsync_v2(p, memory, n, stream);
    return code == CUDA_SUCCESS ? d->cuStreamSynchronize(stream) : code;
}

CUresult spool_cuda_floor(const spool_cuda *d, CUcontext c, CUdeviceptr p, void *memory, size_t n, int back, int times,
                          uintptr_t stream, spool_cuda_failure *f)
{
    return push(d, c, f) ? pop(d, "copies", copies(d, p, memory, n, back, times, (CUstream)stream), f) : f->code;
}
