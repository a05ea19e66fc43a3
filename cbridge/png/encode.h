/* Encodes pixels to a PNG file (encode.c). */
#ifndef SPOOL_PNG_ENCODE_H
#define SPOOL_PNG_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "cancel.h"

enum {
    SPOOL_PNG_ENCODED,
    SPOOL_PNG_ENCODE_MEMORY,
    SPOOL_PNG_ENCODE_LARGE, /* larger than a chunk can be */
};

/* An image of 1, 3 or 4 channels of 8 bits, or of 16 in native byte order, with rows without gaps. */
typedef struct {
    const uint8_t *pixels;
    int32_t width, height, channels, bits;
} spool_png_pixels;

/* The level is libdeflate's. The caller frees the file. */
int spool_png_encode(const spool_png_pixels *image, int32_t level, const int32_t *flag, uint8_t **file, size_t *size);

#endif
