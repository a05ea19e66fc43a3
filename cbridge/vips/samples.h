#ifndef SPOOL_VIPS_SAMPLES_H
#define SPOOL_VIPS_SAMPLES_H

#include "rows.h"

/* n samples of the picture's kind as samples of 8 or 16 bits. Opacity, where there is one, is no light. */
void spool_vips_narrow(const spool_vips_pixels *pixels, int bits, const void *in, void *out, size_t n);

/* A row of samples of 8 or 16 bits, colour as stored, as the channels that are delivered: 1, 3 or 4. */
void spool_vips_arrange(const spool_vips_pixels *pixels, int bits, int channels, const void *in, void *out, int width);

/* Divides the colours of n pixels of 8 bits by their opacity, in place, as Pillow does: rounded down, at most 255. */
void spool_vips_divide(const spool_vips_pixels *pixels, uint8_t *samples, size_t n);

#endif
