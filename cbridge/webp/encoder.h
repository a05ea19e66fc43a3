/* Encodes pixels to a WebP file (encode.c). */
#ifndef SPOOL_WEBP_ENCODER_H
#define SPOOL_WEBP_ENCODER_H

#include <stddef.h>
#include <stdint.h>

#include "cancel.h"

enum {
    SPOOL_WEBP_ENCODED,
    SPOOL_WEBP_ENCODE_MEMORY,
    SPOOL_WEBP_ENCODE_FAILED, /* *code: the library's error */
};

/*
 * Encodes 8-bit pixels of 3 or 4 channels, with rows without gaps. The caller frees the file with WebPFree, also on
 * error.
 */
int spool_webp_encode(const uint8_t *pixels, int32_t width, int32_t height, int32_t channels, float quality,
                      int32_t lossless, int32_t method, const int32_t *flag, uint8_t **file, size_t *size,
                      int32_t *code);

#endif
