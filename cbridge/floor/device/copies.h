#ifndef SPOOL_FLOOR_COPIES_H
#define SPOOL_FLOOR_COPIES_H

#include "driver.h"

/* The entry points that copying takes. */
typedef struct {
    CUresult (*cuCtxPushCurrent_v2)(CUcontext);
    CUresult (*cuCtxPopCurrent_v2)(CUcontext *);
    CUresult (*cuMemcpyHtoDAsync_v2)(CUdeviceptr, const void *, size_t, CUstream);
    CUresult (*cuMemcpyDtoHAsync_v2)(void *, CUdeviceptr, size_t, CUstream);
    CUresult (*cuStreamSynchronize)(CUstream);
} spool_floor_driver;

/* Finds them in a driver's file, which stays loaded. Not 0: it has none. */
int spool_floor_load(spool_floor_driver *d, const char *file);

/* So many copies to the device, or back, and nothing else, in a context of the driver; then waits for the last. */
CUresult spool_floor_copies(const spool_floor_driver *d, uintptr_t context, CUdeviceptr p, void *memory, size_t n,
                            int back, int times, uintptr_t stream);

#endif
