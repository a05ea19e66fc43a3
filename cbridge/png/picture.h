/* What a file says before its pixels. */
#ifndef SPOOL_PNG_PICTURE_H
#define SPOOL_PNG_PICTURE_H

#include "chunk.h"
#include "spool_png.h"

typedef struct {
    int32_t width, height;
    int32_t color, depth, interlaced;
    const uint8_t *palette; /* three bytes for each of the colours */
    int32_t colors;
    const uint8_t *transparency; /* the tRNS chunk that counts: an opacity for each colour, or a transparent colour */
    int32_t opacities;
    spool_png_chunk exif, profile; /* length 0: none */
    uint32_t frames;               /* of the acTL chunk, 0: none that counts */
    spool_png_chunk control;       /* the fcTL chunk, if the picture itself is a frame of the animation */
    size_t pixels;                 /* where the first IDAT chunk begins */
} spool_png_picture;

/* Reads the chunks up to the first IDAT. Returns SPOOL_PNG_OK, or what is wrong, in the report as well. */
int spool_png_read_picture(spool_png_picture *picture, const uint8_t *data, size_t size, spool_png_report *report);

/* Walks over the chunks behind the pixels, of which nothing is needed, and warns of what is wrong with them. */
void spool_png_check_rest(const uint8_t *data, size_t size, size_t at, spool_png_report *report);

/* Bits of a pixel as stored, and bytes of such a row. */
int spool_png_pixel_bits(int color, int depth);
size_t spool_png_row_bytes(const spool_png_picture *picture);

/* Says why, and returns the status. */
int spool_png_fail(spool_png_report *report, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Counts a warning, and keeps the first one's text. */
void spool_png_warn(spool_png_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
