/* Rows as stored, once unfiltered, to rows as pushed: 1, 3 or 4 channels of 8 or 16 bits. */
#ifndef SPOOL_PNG_EXPAND_H
#define SPOOL_PNG_EXPAND_H

#include "picture.h"

typedef struct spool_png_expander spool_png_expander;

struct spool_png_expander {
    /* NULL where rows are pushed as they are stored. Reads rows exactly, writes exactly n pixels. */
    void (*row)(const spool_png_expander *expander, const uint8_t *in, uint8_t *out, size_t n);
    size_t pixel_bytes; /* as pushed */
    int channels, depth;
    uint8_t pixel[256][4]; /* what becomes of each sample of up to 8 bits: a palette's colour, or a gray */
    int keyed;             /* there is a transparent colour */
    uint16_t key[3];
};

/*
 * Prepares for a picture's rows. Gray is repeated where 3 or 4 channels are asked for; opacity is dropped without
 * blending, or full where none is stored. One channel is for gray pictures only, and 16 bits for samples of 16.
 * Of a sample of 16 bits the high byte is taken where 8 are asked for. Returns 0 for what cannot be.
 */
int spool_png_expander_init(spool_png_expander *expander, const spool_png_picture *picture, int channels, int bits);

/*
 * Prepares for the rows of the canvas of the picture's animation: 1, 3 or 4 stored channels of 8 bits. One channel is
 * for gray pictures only; of four stored channels it is the first one. Returns 0 for what cannot be.
 */
int spool_png_expander_init_canvas(spool_png_expander *expander, const spool_png_picture *picture, int stored,
                                   int channels);

#endif
