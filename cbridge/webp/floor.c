#include <webp/decode.h>

#include "webp.h"

int spool_webp_floor_rgb(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size)
{
    int width, height;

    if (!WebPGetInfo(data, size, &width, &height))
        return SPOOL_WEBP_FAILED;
    return WebPDecodeRGBInto(data, size, dst, dst_size, 3 * width) != NULL ? SPOOL_WEBP_OK : SPOOL_WEBP_FAILED;
}

int spool_webp_floor_yuv(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size)
{
    int width, height;

    if (!WebPGetInfo(data, size, &width, &height))
        return SPOOL_WEBP_FAILED;
    const size_t chroma_width = ((size_t)width + 1) / 2;
    const size_t luma = (size_t)width * (size_t)height, chroma = chroma_width * (((size_t)height + 1) / 2);
    if (dst_size < luma + 2 * chroma)
        return SPOOL_WEBP_SHAPE;
    return WebPDecodeYUVInto(data, size, dst, luma, width, dst + luma, chroma, (int)chroma_width, dst + luma + chroma,
                             chroma, (int)chroma_width) != NULL
               ? SPOOL_WEBP_OK
               : SPOOL_WEBP_FAILED;
}
