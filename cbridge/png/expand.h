/* Expands unfiltered rows to pushed rows: 1, 3 or 4 channels of 8 or 16 bits. */
#ifndef SPOOL_PNG_EXPAND_H
#define SPOOL_PNG_EXPAND_H

#include "image.h"

typedef struct spool_png_expander spool_png_expander;

struct spool_png_expander {
    /* NULL if rows are pushed as stored. Reads rows exactly, writes exactly n pixels. */
    void (*row)(const spool_png_expander *expander, const uint8_t *in, uint8_t *out, size_t n);
    size_t pixel_bytes; /* of the pushed rows */
    int channels, depth;
    uint8_t pixel[256][4]; /* the pixel for each sample of up to 8 bits: a palette color, or a gray */
    int keyed;             /* there is a transparent color */
    uint16_t key[3];
};

/*
 * Prepares for the rows of an image. Gray is repeated for 3 or 4 channels. Alpha is dropped without blending, or opaque
 * if none is stored. One channel requires a gray image, and 16 bits require 16-bit samples. For 8 bits, a 16-bit sample
 * is reduced to its high byte. Returns 0 for impossible combinations.
 */
int spool_png_expander_init(spool_png_expander *expander, const spool_png_image *image, int channels, int bits);

/*
 * Prepares for the rows of the canvas of an animation: 1, 3 or 4 stored channels of 8 bits. One channel requires a gray
 * image; it is the first one of four stored channels. Returns 0 for impossible combinations.
 */
int spool_png_expander_init_canvas(spool_png_expander *expander, const spool_png_image *image, int stored,
                                   int channels);

#endif
