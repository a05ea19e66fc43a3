/* The contents of a file before its pixels. */
#ifndef SPOOL_PNG_IMAGE_H
#define SPOOL_PNG_IMAGE_H

#include "chunk.h"
#include "spool_png.h"

typedef struct {
    int32_t width, height;
    int32_t color, depth, interlaced;
    const uint8_t *palette; /* three bytes for each color */
    int32_t colors;
    const uint8_t *transparency; /* the valid tRNS chunk: an alpha value for each palette color, or a transparent
                                  * color */
    int32_t opacities;
    spool_png_chunk exif, profile; /* length 0: none */
    uint32_t frames;               /* from a valid acTL chunk; 0: none */
    spool_png_chunk control;       /* the fcTL chunk, if the default image is a frame of the animation */
    size_t pixels;                 /* offset of the first IDAT chunk */
} spool_png_image;

/* Reads the chunks up to the first IDAT. Returns SPOOL_PNG_OK, or an error that the report describes. */
int spool_png_read_image(spool_png_image *image, const uint8_t *data, size_t size, spool_png_report *report);

/* Walks over the chunks after the pixels, which are not used, and warns of errors in them. */
void spool_png_check_rest(const uint8_t *data, size_t size, size_t at, spool_png_report *report);

/* Bits of a stored pixel, and bytes of a stored row. */
int spool_png_pixel_bits(int color, int depth);
size_t spool_png_row_bytes(const spool_png_image *image);

/* Sets the report's text, and returns the status. */
int spool_png_fail(spool_png_report *report, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Counts a warning, and keeps the first one's text. */
void spool_png_warn(spool_png_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
