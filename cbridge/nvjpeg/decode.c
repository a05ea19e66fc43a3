#include <stdlib.h>

#include "bridge.h"
#include "failure.h"

#define TRY(entry, ...)                                                               \
    if (spool_nvjpeg_fail(#entry, n->entry(__VA_ARGS__), f) != NVJPEG_STATUS_SUCCESS) \
    return f->code

nvjpegStatus_t spool_nvjpeg_open(const spool_nvjpeg *n, nvjpegBackend_t backend, unsigned int flags,
                                 nvjpegHandle_t *out, spool_nvjpeg_failure *f)
{
    TRY(nvjpegCreateEx, backend, NULL, NULL, flags, out);
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t spool_nvjpeg_close(const spool_nvjpeg *n, nvjpegHandle_t handle, spool_nvjpeg_failure *f)
{
    TRY(nvjpegDestroy, handle);
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t spool_nvjpeg_state_open(const spool_nvjpeg *n, nvjpegHandle_t handle, spool_nvjpeg_state *out,
                                       spool_nvjpeg_failure *f)
{
    *out = (spool_nvjpeg_state){.handle = handle};
    TRY(nvjpegJpegStateCreate, handle, &out->state);
    if (spool_nvjpeg_fail("nvjpegJpegStreamCreate", n->nvjpegJpegStreamCreate(handle, &out->header), f))
        n->nvjpegJpegStateDestroy(out->state);
    return f->code;
}

/* Destroys both objects, even if the first call fails, and reports the first failure. */
nvjpegStatus_t spool_nvjpeg_state_close(const spool_nvjpeg *n, spool_nvjpeg_state *s, spool_nvjpeg_failure *f)
{
    const nvjpegStatus_t header = n->nvjpegJpegStreamDestroy(s->header), state = n->nvjpegJpegStateDestroy(s->state);

    if (spool_nvjpeg_fail("nvjpegJpegStreamDestroy", header, f) != NVJPEG_STATUS_SUCCESS)
        return header;
    return spool_nvjpeg_fail("nvjpegJpegStateDestroy", state, f);
}

nvjpegStatus_t spool_nvjpeg_inspect(const spool_nvjpeg *n, spool_nvjpeg_state *s, const uint8_t *data, size_t size,
                                    int *taken, unsigned int *width, unsigned int *height, spool_nvjpeg_failure *f)
{
    int refused; /* 0 means supported */

    TRY(nvjpegJpegStreamParseHeader, s->handle, data, size, s->header);
    TRY(nvjpegJpegStreamGetFrameDimensions, s->header, width, height);
    TRY(nvjpegDecodeBatchedSupported, s->handle, s->header, &refused);
    *taken = refused == 0;
    return NVJPEG_STATUS_SUCCESS;
}

static nvjpegStatus_t decode(const spool_nvjpeg *n, spool_nvjpeg_state *s, const unsigned char *const *data,
                             const size_t *sizes, nvjpegImage_t *images, int count, int threads, uintptr_t stream,
                             spool_nvjpeg_failure *f)
{
    if (s->batch != count) {
        s->batch = 0;
        TRY(nvjpegDecodeBatchedInitialize, s->handle, s->state, count, threads, NVJPEG_OUTPUT_RGBI);
    }
    s->batch = 0; /* a state has to be initialized again after a failed batch */
    TRY(nvjpegDecodeBatched, s->handle, s->state, data, sizes, images, (cudaStream_t)stream);
    s->batch = count;
    return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t spool_nvjpeg_decode(const spool_nvjpeg *n, spool_nvjpeg_state *s, const spool_nvjpeg_item *items,
                                   int count, int threads, uintptr_t stream, spool_nvjpeg_failure *f)
{
    const unsigned char **data = calloc(count, sizeof *data);
    size_t *sizes = calloc(count, sizeof *sizes);
    nvjpegImage_t *images = calloc(count, sizeof *images);

    if (data && sizes && images) {
        for (int i = 0; i < count; i++) {
            data[i] = items[i].data;
            sizes[i] = items[i].size;
            images[i].channel[0] = (unsigned char *)(uintptr_t)items[i].to;
            images[i].pitch[0] = items[i].pitch;
        }
        decode(n, s, data, sizes, images, count, threads, stream, f);
    } else {
        spool_nvjpeg_fail("calloc", NVJPEG_STATUS_ALLOCATOR_FAILURE, f);
    }
    free(data);
    free(sizes);
    free(images);
    return f->code;
}
