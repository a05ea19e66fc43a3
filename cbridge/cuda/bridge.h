#ifndef SPOOL_CUDA_BRIDGE_H
#define SPOOL_CUDA_BRIDGE_H

#include "driver.h"

/* The driver's functions. */
typedef struct {
#define POINTER(name, ...) CUresult (*name)(__VA_ARGS__);
    SPOOL_CUDA_ENTRIES(POINTER)
#undef POINTER
} spool_cuda;

/* A copy of an error: the driver owns its texts. */
typedef struct {
    CUresult code; /* CUDA_SUCCESS if no driver call failed */
    int done;      /* the call succeeded, but the context could not be popped */
    char call[40];
    char name[56];
    char text[1200];
} spool_cuda_failure;

typedef struct {
    char name[128];
    char bus[32]; /* PCI address, as in /sys/bus/pci/devices except for the case of letters */
    size_t bytes;
    int major, minor; /* compute capability */
    int memory_khz, memory_bits;
} spool_cuda_device;

/* All functions return CUDA_SUCCESS, or an error code with *f filled. */
int spool_cuda_load(spool_cuda *d, const char *file, spool_cuda_failure *f);
CUresult spool_cuda_init(const spool_cuda *d, int *version, int *devices, spool_cuda_failure *f);
CUresult spool_cuda_describe(const spool_cuda *d, int device, spool_cuda_device *out, spool_cuda_failure *f);
CUresult spool_cuda_retain(const spool_cuda *d, int device, CUdevice *handle, CUcontext *out, spool_cuda_failure *f);
CUresult spool_cuda_release(const spool_cuda *d, CUdevice handle, spool_cuda_failure *f);

/* Makes a context current on the calling thread until the pop, for calls of another library. */
CUresult spool_cuda_push(const spool_cuda *d, CUcontext c, spool_cuda_failure *f);
CUresult spool_cuda_pop(const spool_cuda *d, spool_cuda_failure *f);

enum { SPOOL_CUDA_LOG = 1000 }; /* size of a compiler's log, including its zero */

/*
 * These functions run in context c: they push and pop it on one thread, so the previous context is current afterwards.
 * Handles are integers, so that Go can pass handles of other libraries.
 */
CUresult spool_cuda_memory(const spool_cuda *d, CUcontext c, size_t *free, size_t *total, spool_cuda_failure *f);
CUresult spool_cuda_alloc(const spool_cuda *d, CUcontext c, size_t n, CUdeviceptr *out, spool_cuda_failure *f);
CUresult spool_cuda_free(const spool_cuda *d, CUcontext c, CUdeviceptr p, spool_cuda_failure *f);
CUresult spool_cuda_register(const spool_cuda *d, CUcontext c, void *p, size_t n, spool_cuda_failure *f);
CUresult spool_cuda_unregister(const spool_cuda *d, CUcontext c, void *p, spool_cuda_failure *f);
CUresult spool_cuda_to_device(const spool_cuda *d, CUcontext c, CUdeviceptr to, const void *from, size_t n,
                              uintptr_t stream, spool_cuda_failure *f);
CUresult spool_cuda_to_host(const spool_cuda *d, CUcontext c, void *to, CUdeviceptr from, size_t n, uintptr_t stream,
                            spool_cuda_failure *f);
CUresult spool_cuda_stream(const spool_cuda *d, CUcontext c, uintptr_t *out, spool_cuda_failure *f);
CUresult spool_cuda_close_stream(const spool_cuda *d, CUcontext c, uintptr_t stream, spool_cuda_failure *f);
CUresult spool_cuda_finish(const spool_cuda *d, CUcontext c, uintptr_t stream, spool_cuda_failure *f);
CUresult spool_cuda_wait_event(const spool_cuda *d, CUcontext c, uintptr_t stream, uintptr_t event,
                               spool_cuda_failure *f);
CUresult spool_cuda_event(const spool_cuda *d, CUcontext c, uintptr_t *out, spool_cuda_failure *f);
CUresult spool_cuda_close_event(const spool_cuda *d, CUcontext c, uintptr_t event, spool_cuda_failure *f);
CUresult spool_cuda_record(const spool_cuda *d, CUcontext c, uintptr_t event, uintptr_t stream, spool_cuda_failure *f);
CUresult spool_cuda_wait(const spool_cuda *d, CUcontext c, uintptr_t event, spool_cuda_failure *f);
CUresult spool_cuda_reached(const spool_cuda *d, CUcontext c, uintptr_t event, int *out, spool_cuda_failure *f);

/* Compiles PTX, a string, for the context's device. The text of an error has the compiler's log. */
CUresult spool_cuda_module(const spool_cuda *d, CUcontext c, const char *ptx, uintptr_t *out, spool_cuda_failure *f);
CUresult spool_cuda_close_module(const spool_cuda *d, CUcontext c, uintptr_t module, spool_cuda_failure *f);
CUresult spool_cuda_function(const spool_cuda *d, CUcontext c, uintptr_t module, const char *name, uintptr_t *out,
                             spool_cuda_failure *f);

/* Queues width x height blocks of `threads` threads. The parameters are one block of memory, which is copied. */
CUresult spool_cuda_launch(const spool_cuda *d, CUcontext c, uintptr_t function, unsigned int width,
                           unsigned int height, unsigned int threads, uintptr_t stream, void *parameters, size_t size,
                           spool_cuda_failure *f);

#endif
