#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>

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

int spool_webp_floor_frames(const uint8_t *data, size_t size, int frames, uint8_t *dst, size_t dst_size)
{
    const WebPData file = {data, size};
    WebPAnimDecoderOptions options;
    WebPAnimInfo info;
    uint8_t *canvas;
    int time, status = SPOOL_WEBP_FAILED;

    if (!WebPAnimDecoderOptionsInit(&options))
        return SPOOL_WEBP_FAILED;
    options.color_mode = MODE_RGBA;
    WebPAnimDecoder *decoder = WebPAnimDecoderNew(&file, &options);
    if (decoder != NULL && WebPAnimDecoderGetInfo(decoder, &info)) {
        const size_t bytes = (size_t)info.canvas_width * info.canvas_height * 4;
        status = SPOOL_WEBP_OK;
        for (int i = 0; i < frames && status == SPOOL_WEBP_OK; i++) {
            if (dst_size < bytes || !WebPAnimDecoderGetNext(decoder, &canvas, &time)) {
                status = SPOOL_WEBP_FAILED;
                break;
            }
            memcpy(dst, canvas, bytes);
            dst += bytes;
            dst_size -= bytes;
        }
    }
    WebPAnimDecoderDelete(decoder);
    return status;
}
