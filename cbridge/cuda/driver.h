#ifndef SPOOL_CUDA_DRIVER_H
#define SPOOL_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

/*
 * The parts of the CUDA driver's interface in use, with NVIDIA's names, so that building needs no CUDA headers. A test
 * compares types, numbers and signatures with the public headers (testdata/api.json).
 */
typedef unsigned int CUresult;           /* an enum in NVIDIA's headers */
typedef unsigned int CUdevice_attribute; /* an enum in NVIDIA's headers */
typedef unsigned int CUjit_option;       /* an enum in NVIDIA's headers */
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_NOT_READY = 600,
    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_BLOCKING_SYNC = 1,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_MEMHOSTREGISTER_PORTABLE = 1,
    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
    CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_JIT_ERROR_LOG_BUFFER = 5,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
    CU_LAUNCH_PARAM_BUFFER_POINTER = 1,
    CU_LAUNCH_PARAM_BUFFER_SIZE = 2,
};

/*
 * The functions by the names that libcuda.so.1 exports. A function whose interface has changed has a version suffix,
 * and the name without it is the old function with 32-bit sizes. Headers hide this with macros, but dlsym does not. All
 * functions exist since CUDA 11.0, so cuGetProcAddress (11.3) is not needed. For these functions stream 0 is the legacy
 * default stream. The variants with _ptsz use the thread's default stream, and are for programs compiled that way.
 */
// clang-format off
#define SPOOL_CUDA_ENTRIES(X)                                                \
    X(cuInit, unsigned int)                                                  \
    X(cuDriverGetVersion, int *)                                             \
    X(cuGetErrorName, CUresult, const char **)                               \
    X(cuGetErrorString, CUresult, const char **)                             \
    X(cuDeviceGetCount, int *)                                               \
    X(cuDeviceGet, CUdevice *, int)                                          \
    X(cuDeviceGetName, char *, int, CUdevice)                                \
    X(cuDeviceGetPCIBusId, char *, int, CUdevice)                            \
    X(cuDeviceGetAttribute, int *, CUdevice_attribute, CUdevice)             \
    X(cuDeviceTotalMem_v2, size_t *, CUdevice)                               \
    X(cuDevicePrimaryCtxRetain, CUcontext *, CUdevice)                       \
    X(cuDevicePrimaryCtxRelease_v2, CUdevice)                                \
    X(cuCtxPushCurrent_v2, CUcontext)                                        \
    X(cuCtxPopCurrent_v2, CUcontext *)                                       \
    X(cuMemGetInfo_v2, size_t *, size_t *)                                   \
    X(cuMemAlloc_v2, CUdeviceptr *, size_t)                                  \
    X(cuMemFree_v2, CUdeviceptr)                                             \
    X(cuMemHostRegister_v2, void *, size_t, unsigned int)                    \
    X(cuMemHostUnregister, void *)                                           \
    X(cuMemcpyHtoDAsync_v2, CUdeviceptr, const void *, size_t, CUstream)     \
    X(cuMemcpyDtoHAsync_v2, void *, CUdeviceptr, size_t, CUstream)           \
    X(cuStreamCreate, CUstream *, unsigned int)                              \
    X(cuStreamDestroy_v2, CUstream)                                          \
    X(cuStreamSynchronize, CUstream)                                         \
    X(cuStreamWaitEvent, CUstream, CUevent, unsigned int)                    \
    X(cuEventCreate, CUevent *, unsigned int)                                \
    X(cuEventDestroy_v2, CUevent)                                            \
    X(cuEventQuery, CUevent)                                                 \
    X(cuEventRecord, CUevent, CUstream)                                      \
    X(cuEventSynchronize, CUevent)                                           \
    X(cuModuleLoadDataEx, CUmodule *, const void *, unsigned int, CUjit_option *, void **) \
    X(cuModuleUnload, CUmodule)                                              \
    X(cuModuleGetFunction, CUfunction *, CUmodule, const char *)             \
    X(cuLaunchKernel, CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, \
          unsigned int, unsigned int, CUstream, void **, void **)
// clang-format on

#endif
