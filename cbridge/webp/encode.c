#include "encoder.h"

#include <webp/encode.h>

static int go_on(int percent, const WebPPicture *picture)
{
    (void)percent;
    return !spool_cancelled(picture->user_data);
}

static int import(WebPPicture *picture, const uint8_t *pixels, int32_t channels)
{
    const int stride = picture->width * channels;
    return channels == 3 ? WebPPictureImportRGB(picture, pixels, stride)
                         : WebPPictureImportRGBA(picture, pixels, stride);
}

int spool_webp_encode(const uint8_t *pixels, int32_t width, int32_t height, int32_t channels, float quality,
                      int32_t lossless, int32_t method, const int32_t *flag, uint8_t **file, size_t *size,
                      int32_t *code)
{
    WebPConfig config;
    WebPPicture picture;
    WebPMemoryWriter writer;
    int status = SPOOL_WEBP_ENCODED;

    if (!WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, quality) || !WebPPictureInit(&picture))
        return SPOOL_WEBP_ENCODE_FAILED;
    config.method = method;
    config.lossless = lossless;
    WebPMemoryWriterInit(&writer);
    picture.width = width;
    picture.height = height;
    picture.use_argb = lossless;
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    picture.progress_hook = go_on;
    picture.user_data = (void *)flag;
    if (!import(&picture, pixels, channels))
        status = SPOOL_WEBP_ENCODE_MEMORY;
    else if (!WebPEncode(&config, &picture))
        status = picture.error_code == VP8_ENC_ERROR_USER_ABORT ? SPOOL_CANCELLED : SPOOL_WEBP_ENCODE_FAILED;
    *code = picture.error_code;
    *file = writer.mem;
    *size = writer.size;
    WebPPictureFree(&picture);
    return status;
}
