#include <avif/avif.h>

#include "floor.h"

static avifDecoder *open_decoder(const uint8_t *data, size_t size)
{
    avifDecoder *decoder = avifDecoderCreate();
    if (decoder == NULL)
        return NULL;
    decoder->strictFlags = AVIF_STRICT_DISABLED;
    if (avifDecoderSetIOMemory(decoder, data, size) == AVIF_RESULT_OK && avifDecoderParse(decoder) == AVIF_RESULT_OK &&
        avifDecoderNextImage(decoder) == AVIF_RESULT_OK)
        return decoder;
    avifDecoderDestroy(decoder);
    return NULL;
}

int spool_floor_avif_planar(const uint8_t *data, size_t size)
{
    avifDecoder *decoder = open_decoder(data, size);
    if (decoder == NULL)
        return 1;
    avifDecoderDestroy(decoder);
    return 0;
}

int spool_floor_avif(const uint8_t *data, size_t size, uint8_t *dst, size_t dst_size)
{
    avifDecoder *decoder = open_decoder(data, size);
    if (decoder == NULL)
        return 1;
    avifRGBImage rgb;
    avifRGBImageSetDefaults(&rgb, decoder->image);
    rgb.depth = 8;
    rgb.format = AVIF_RGB_FORMAT_RGB;
    rgb.pixels = dst;
    rgb.rowBytes = rgb.width * 3;
    int fits = dst_size / rgb.rowBytes >= rgb.height;
    avifResult result = fits ? avifImageYUVToRGB(decoder->image, &rgb) : AVIF_RESULT_INVALID_ARGUMENT;
    avifDecoderDestroy(decoder);
    return result != AVIF_RESULT_OK;
}
