#include "copies.h"

#include <dlfcn.h>
#include <string.h>

static int find(void *library, const char *name, void *entry)
{
    void *at = dlsym(library, name);
    memcpy(entry, &at, sizeof at); /* ISO C has no cast between data and function pointers */
    return at == NULL;
}

int spool_floor_load(spool_floor_driver *d, const char *file)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library != NULL)
        (void)find(library, "cuMemcpyDtoDAsync_v2", &d->cuMemcpyDtoDAsync_v2); /* NULL in a simulated driver */
    return library == NULL || find(library, "cuCtxPushCurrent_v2", &d->cuCtxPushCurrent_v2) ||
           find(library, "cuCtxPopCurrent_v2", &d->cuCtxPopCurrent_v2) ||
           find(library, "cuMemcpyHtoDAsync_v2", &d->cuMemcpyHtoDAsync_v2) ||
           find(library, "cuMemcpyDtoHAsync_v2", &d->cuMemcpyDtoHAsync_v2) ||
           find(library, "cuStreamSynchronize", &d->cuStreamSynchronize);
}

static CUresult copies(const spool_floor_driver *d, CUdeviceptr p, char *memory, size_t n, int batches, int back,
                       int times, CUstream stream)
{
    CUresult code = CUDA_SUCCESS;

    for (int i = 0; i < times && code == CUDA_SUCCESS; i++) {
        char *at = memory + (size_t)(i % batches) * n;
        code = back ? d->cuMemcpyDtoHAsync_v2(at, p, n, stream) : d->cuMemcpyHtoDAsync_v2(p, at, n, stream);
    }
    return code == CUDA_SUCCESS ? d->cuStreamSynchronize(stream) : code;
}

CUresult spool_floor_copies(const spool_floor_driver *d, uintptr_t context, CUdeviceptr p, void *memory, size_t n,
                            int batches, int back, int times, uintptr_t stream)
{
    CUcontext old;
    CUresult code = d->cuCtxPushCurrent_v2((CUcontext)context);

    if (code != CUDA_SUCCESS)
        return code;
    code = copies(d, p, memory, n, batches, back, times, (CUstream)stream);
    const CUresult popped = d->cuCtxPopCurrent_v2(&old);
    return code != CUDA_SUCCESS ? code : popped;
}

static CUresult duplicates(const spool_floor_driver *d, CUdeviceptr to, CUdeviceptr from, size_t n, int times,
                           CUstream stream)
{
    CUresult code = CUDA_SUCCESS;

    for (int i = 0; i < times && code == CUDA_SUCCESS; i++)
        code = d->cuMemcpyDtoDAsync_v2(to, from, n, stream);
    return code == CUDA_SUCCESS ? d->cuStreamSynchronize(stream) : code;
}

CUresult spool_floor_duplicates(const spool_floor_driver *d, uintptr_t context, CUdeviceptr to, CUdeviceptr from,
                                size_t n, int times, uintptr_t stream)
{
    CUcontext old;
    CUresult code;

    if (d->cuMemcpyDtoDAsync_v2 == NULL)
        return SPOOL_FLOOR_NOT_FOUND;
    code = d->cuCtxPushCurrent_v2((CUcontext)context);
    if (code != CUDA_SUCCESS)
        return code;
    code = duplicates(d, to, from, n, times, (CUstream)stream);
    const CUresult popped = d->cuCtxPopCurrent_v2(&old);
    return code != CUDA_SUCCESS ? code : popped;
}
