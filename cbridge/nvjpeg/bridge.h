#ifndef SPOOL_NVJPEG_BRIDGE_H
#define SPOOL_NVJPEG_BRIDGE_H

#include "api.h"

/* The library's entry points. */
typedef struct {
#define POINTER(name, ...) nvjpegStatus_t (*name)(__VA_ARGS__);
    SPOOL_NVJPEG_ENTRIES(POINTER)
#undef POINTER
} spool_nvjpeg;

/* The cause of a failure. */
typedef struct {
    nvjpegStatus_t code; /* NVJPEG_STATUS_SUCCESS if no call of the library failed */
    char call[40];
    char text[200]; /* the dynamic linker's message: the library has none */
} spool_nvjpeg_failure;

/* An image and the destination of its pixels. */
typedef struct {
    const uint8_t *data;
    size_t size;
    uint64_t to; /* device address */
    size_t pitch;
} spool_nvjpeg_item;

/* A decoder state, for one batch at a time. */
typedef struct {
    nvjpegHandle_t handle;
    nvjpegJpegState_t state;
    nvjpegJpegStream_t header;
    int batch; /* the batch size that the state is initialized for */
} spool_nvjpeg_state;

/* All functions return NVJPEG_STATUS_SUCCESS, or another code with *f filled. */
int spool_nvjpeg_load(spool_nvjpeg *n, const char *file, int version[3], spool_nvjpeg_failure *f);
nvjpegStatus_t spool_nvjpeg_open(const spool_nvjpeg *n, nvjpegBackend_t backend, unsigned int flags,
                                 nvjpegHandle_t *out, spool_nvjpeg_failure *f);
nvjpegStatus_t spool_nvjpeg_close(const spool_nvjpeg *n, nvjpegHandle_t handle, spool_nvjpeg_failure *f);
nvjpegStatus_t spool_nvjpeg_state_open(const spool_nvjpeg *n, nvjpegHandle_t handle, spool_nvjpeg_state *out,
                                       spool_nvjpeg_failure *f);
nvjpegStatus_t spool_nvjpeg_state_close(const spool_nvjpeg *n, spool_nvjpeg_state *s, spool_nvjpeg_failure *f);

/* Whether the decoder supports the image, and the image's size. */
nvjpegStatus_t spool_nvjpeg_inspect(const spool_nvjpeg *n, spool_nvjpeg_state *s, const uint8_t *data, size_t size,
                                    int *taken, unsigned int *width, unsigned int *height, spool_nvjpeg_failure *f);

/* Queues the decoding of a batch. The images' bytes are read until the stream has completed the batch. */
nvjpegStatus_t spool_nvjpeg_decode(const spool_nvjpeg *n, spool_nvjpeg_state *s, const spool_nvjpeg_item *items,
                                   int count, int threads, uintptr_t stream, spool_nvjpeg_failure *f);

#endif
