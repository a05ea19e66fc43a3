#include "streams.h"

/*
 * Driver functions that only FFmpeg looks up, and requires. It calls two of them to copy a frame to the host. Calls of
 * the others are violations.
 */
typedef struct {
    size_t x, y;
    unsigned int kind; /* 1: host memory, 2: device memory */
    void *host;
    CUdeviceptr device;
    void *array;
    size_t pitch;
} plane;

typedef struct {
    plane from, to;
    size_t width, height;
} copy2d;

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, CUstream stream);

CUresult cuMemcpy2DAsync_v2(const copy2d *c, CUstream stream)
{
    if (c->from.kind != 2 || c->to.kind != 1 || c->from.x || c->from.y || c->to.x || c->to.y)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t y = 0; y < c->height; y++) {
        const CUresult code = cuMemcpyDtoHAsync_v2((char *)c->to.host + y * c->to.pitch,
                                                   c->from.device + y * c->from.pitch, c->width, stream);
        if (code)
            return code;
    }
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice d, unsigned int *flags, int *active)
{
    const CUresult code = begin("cuDevicePrimaryCtxGetState");

    *flags = 0;
    *active = fake.contexts[d].retained > 0;
    return end(code);
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice d, unsigned int flags)
{
    (void)d;
    (void)flags;
    return end(begin("cuDevicePrimaryCtxSetFlags"));
}

#define UNUSED(name)                                  \
    CUresult name(void)                               \
    {                                                 \
        pthread_mutex_lock(&fake.lock);               \
        violate(#name " is called, which is a stub"); \
        return end(CUDA_ERROR_INVALID_VALUE);         \
    }
UNUSED(cuArray3DCreate_v2)
UNUSED(cuArrayCreate_v2)
UNUSED(cuArrayDestroy)
UNUSED(cuCtxCreate_v2)
UNUSED(cuCtxDestroy_v2)
UNUSED(cuCtxGetCurrent)
UNUSED(cuCtxGetDevice)
UNUSED(cuCtxSetLimit)
UNUSED(cuDeviceComputeCapability)
UNUSED(cuDevicePrimaryCtxReset)
UNUSED(cuGLGetDevices_v2)
UNUSED(cuGraphicsGLRegisterImage)
UNUSED(cuGraphicsMapResources)
UNUSED(cuGraphicsResourceGetMappedPointer_v2)
UNUSED(cuGraphicsSubResourceGetMappedArray)
UNUSED(cuGraphicsUnmapResources)
UNUSED(cuGraphicsUnregisterResource)
UNUSED(cuLinkAddData)
UNUSED(cuLinkComplete)
UNUSED(cuLinkCreate)
UNUSED(cuLinkDestroy)
UNUSED(cuMemAllocManaged)
UNUSED(cuMemAllocPitch_v2)
UNUSED(cuMemcpy)
UNUSED(cuMemcpy2D_v2)
UNUSED(cuMemcpyAsync)
UNUSED(cuMemcpyDtoDAsync_v2)
UNUSED(cuMemcpyDtoD_v2)
UNUSED(cuMemcpyDtoH_v2)
UNUSED(cuMemcpyHtoD_v2)
UNUSED(cuMemsetD8Async)
UNUSED(cuModuleGetGlobal)
UNUSED(cuModuleLoadData)
UNUSED(cuStreamAddCallback)
UNUSED(cuStreamQuery)
UNUSED(cuTexObjectCreate)
UNUSED(cuTexObjectDestroy)
