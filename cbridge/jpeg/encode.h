/* Encoding of JPEG files. encode.c */
#ifndef SPOOL_JPEG_ENCODE_H
#define SPOOL_JPEG_ENCODE_H

#include "jpeg.h"

/* Chroma: luma samples, across and down, for each chroma sample. */
typedef struct {
    int32_t width, height, channels; /* 1, 3, or 4 with a last channel that is dropped */
    int32_t quality;
    int32_t across, down;
    int32_t progressive, optimize;
} spool_jpeg_encoding;

/* The caller frees the file, also on error. */
int spool_jpeg_encode(const uint8_t *pixels, const spool_jpeg_encoding *e, const int32_t *flag, uint8_t **file,
                      size_t *size, spool_jpeg_report *report);

#endif
