#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>

#include "floor.h"

int spool_floor_webp(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size)
{
    int width, height;

    if (!WebPGetInfo(data, size, &width, &height))
        return 1;
    return WebPDecodeRGBInto(data, size, dst, dst_size, 3 * width) == NULL;
}

int spool_floor_webp_yuv(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size)
{
    int width, height;

    if (!WebPGetInfo(data, size, &width, &height))
        return 1;
    const size_t chroma_width = ((size_t)width + 1) / 2;
    const size_t luma = (size_t)width * (size_t)height, chroma = chroma_width * (((size_t)height + 1) / 2);
    if (dst_size < luma + 2 * chroma)
        return 1;
    return WebPDecodeYUVInto(data, size, dst, luma, width, dst + luma, chroma, (int)chroma_width, dst + luma + chroma,
                             chroma, (int)chroma_width) == NULL;
}

int spool_floor_webp_frames(const uint8_t *data, size_t size, int frames, uint8_t *dst, size_t dst_size)
{
    const WebPData file = {data, size};
    WebPAnimDecoderOptions options;
    WebPAnimInfo info;
    uint8_t *canvas;
    int time, status = 1;

    if (!WebPAnimDecoderOptionsInit(&options))
        return 1;
    options.color_mode = MODE_RGBA;
    WebPAnimDecoder *decoder = WebPAnimDecoderNew(&file, &options);
    if (decoder != NULL && WebPAnimDecoderGetInfo(decoder, &info)) {
        const size_t bytes = (size_t)info.canvas_width * info.canvas_height * 4;
        status = 0;
        for (int i = 0; i < frames && status == 0; i++) {
            if (dst_size < bytes || !WebPAnimDecoderGetNext(decoder, &canvas, &time)) {
                status = 1;
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
