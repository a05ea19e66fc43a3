#ifndef SPOOL_FLOOR_COPIES_H
#define SPOOL_FLOOR_COPIES_H

#include "driver.h"

enum { SPOOL_FLOOR_NOT_FOUND = 500 }; /* CUDA_ERROR_NOT_FOUND */

/* The driver functions for copies. */
typedef struct {
    CUresult (*cuCtxPushCurrent_v2)(CUcontext);
    CUresult (*cuCtxPopCurrent_v2)(CUcontext *);
    CUresult (*cuMemcpyHtoDAsync_v2)(CUdeviceptr, const void *, size_t, CUstream);
    CUresult (*cuMemcpyDtoHAsync_v2)(void *, CUdeviceptr, size_t, CUstream);
    CUresult (*cuMemcpyDtoDAsync_v2)(CUdeviceptr, CUdeviceptr, size_t, CUstream); /* NULL if it is missing */
    CUresult (*cuStreamSynchronize)(CUstream);
} spool_floor_driver;

/* Loads the functions from a driver's file, which stays loaded. Returns nonzero on failure. */
int spool_floor_load(spool_floor_driver *d, const char *file);

/* Queues `times` copies of n bytes to the device, or back, in a context of the driver, and waits for the last. memory
 * has `batches` blocks of n bytes, which are copied in turn. */
CUresult spool_floor_copies(const spool_floor_driver *d, uintptr_t context, CUdeviceptr p, void *memory, size_t n,
                            int batches, int back, int times, uintptr_t stream);

/* The same within the memory of the device, from one place to another. */
CUresult spool_floor_duplicates(const spool_floor_driver *d, uintptr_t context, CUdeviceptr to, CUdeviceptr from,
                                size_t n, int times, uintptr_t stream);

#endif
