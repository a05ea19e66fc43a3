/* Copies of arrays to CUDA devices. Programs include spool.h. */
#ifndef SPOOL_DEVICE_H
#define SPOOL_DEVICE_H

#include "spool_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- device ---- */

/* A CUDA device that arrays are copied to. It may be used by any number of concurrent calls. */
typedef struct spool_device spool_device;

/*
 * Opens a CUDA device, and a stream for copies. Keys of the options, which may be NULL: device, cuda (the default) or
 * cuda:N; ring, the most copies on the device, those that the caller holds and those in flight (3). Errors:
 * SPOOL_OPTIONS; SPOOL_DEVICE if there is no such device, or no driver.
 */
int32_t spool_device_open(const char *options, spool_device **device, spool_error *error);

/*
 * Copies n arrays in host memory to the device, in one copy from pinned memory, into which they are packed first. It
 * returns when the copy is queued, and then no longer needs the caller's memory. arrays has room for n results, whose
 * memory is used again when all of them are released. Pass them on by spool_array_dlpack_in or spool_array_cuda. Cancel
 * may be NULL. Errors: SPOOL_OPTIONS for views that are no arrays, and after some seconds if the caller holds the whole
 * ring; SPOOL_OUT_OF_MEMORY, SPOOL_DEVICE, SPOOL_CANCELED.
 */
int32_t spool_device_copy(spool_device *device, const spool_array_view *views, size_t n, spool_cancel *cancel,
                          spool_array **arrays, spool_error *error);

/* Arrays on the device stay valid. */
void spool_device_close(spool_device *device);

#ifdef __cplusplus
}
#endif

#endif
