#ifndef SPOOL_VIPS_SAMPLES_H
#define SPOOL_VIPS_SAMPLES_H

#include "rows.h"

/* Converts n samples of the image to samples of 8 or 16 bits. The curve for linear light is not applied to alpha. */
void spool_vips_narrow(const spool_vips_pixels *pixels, int bits, const void *in, void *out, size_t n);

/* Converts a row of 8-bit or 16-bit samples, colors as stored, to the delivered channels: 1, 3 or 4. */
void spool_vips_arrange(const spool_vips_pixels *pixels, int bits, int channels, const void *in, void *out, int width);

/* Divides the colors of n 8-bit pixels by their alpha, in place, as in Pillow: rounded down, at most 255. */
void spool_vips_divide(const spool_vips_pixels *pixels, uint8_t *samples, size_t n);

#endif
