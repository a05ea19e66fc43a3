#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "bridge.h"
#include "failure.h"

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

CUresult spool_cuda_fail(const spool_cuda *d, const char *call, CUresult code, spool_cuda_failure *f)
{
    const char *name = NULL, *text = NULL;

    if (code == CUDA_SUCCESS)
        return code;
    f->code = code;
    copy(f->call, sizeof f->call, call);
    d->cuGetErrorName(code, &name); /* both leave NULL for an unknown code */
    d->cuGetErrorString(code, &text);
    copy(f->name, sizeof f->name, name);
    copy(f->text, sizeof f->text, text);
    return code;
}

/* The library stays loaded, because it runs threads. */
int spool_cuda_load(spool_cuda *d, const char *file, spool_cuda_failure *f)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

    if (!library) {
        copy(f->call, sizeof f->call, "dlopen");
        copy(f->text, sizeof f->text, dlerror());
        return -1;
    }
#define FIND(entry, ...)                                                                             \
    {                                                                                                \
        void *at = dlsym(library, #entry);                                                           \
        if (!at) {                                                                                   \
            copy(f->call, sizeof f->call, "dlsym");                                                  \
            copy(f->text, sizeof f->text, "no " #entry ": the driver is older than CUDA 11");        \
            dlclose(library);                                                                        \
            return -1;                                                                               \
        }                                                                                            \
        memcpy(&d->entry, &at, sizeof at); /* ISO C has no cast between the two kinds of pointers */ \
    }
    SPOOL_CUDA_ENTRIES(FIND)
#undef FIND
    return 0;
}

#define TRY(entry, ...)                                                       \
    if (spool_cuda_fail(d, #entry, d->entry(__VA_ARGS__), f) != CUDA_SUCCESS) \
    return f->code

CUresult spool_cuda_init(const spool_cuda *d, int *version, int *devices, spool_cuda_failure *f)
{
    TRY(cuInit, 0);
    TRY(cuDriverGetVersion, version);
    TRY(cuDeviceGetCount, devices);
    return CUDA_SUCCESS;
}

CUresult spool_cuda_describe(const spool_cuda *d, int device, spool_cuda_device *out, spool_cuda_failure *f)
{
    CUdevice handle;

    TRY(cuDeviceGet, &handle, device);
    TRY(cuDeviceGetName, out->name, sizeof out->name, handle);
    TRY(cuDeviceGetPCIBusId, out->bus, sizeof out->bus, handle);
    TRY(cuDeviceTotalMem_v2, &out->bytes, handle);
    TRY(cuDeviceGetAttribute, &out->major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, handle);
    TRY(cuDeviceGetAttribute, &out->minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, handle);
    TRY(cuDeviceGetAttribute, &out->memory_khz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, handle);
    TRY(cuDeviceGetAttribute, &out->memory_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, handle);
    return CUDA_SUCCESS;
}

CUresult spool_cuda_retain(const spool_cuda *d, int device, CUdevice *handle, CUcontext *out, spool_cuda_failure *f)
{
    TRY(cuDeviceGet, handle, device);
    TRY(cuDevicePrimaryCtxRetain, out, *handle);
    return CUDA_SUCCESS;
}

CUresult spool_cuda_release(const spool_cuda *d, CUdevice handle, spool_cuda_failure *f)
{
    TRY(cuDevicePrimaryCtxRelease_v2, handle);
    return CUDA_SUCCESS;
}
