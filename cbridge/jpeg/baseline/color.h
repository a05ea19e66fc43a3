/*
 * From planes to rows of RGB, as libjpeg-turbo does: "fancy" upsampling (jdsample.c), where a sample of halved
 * chroma counts three quarters and its neighbour one, and the conversion of BT.601 at full range with factors
 * of 16 bits (jdcolor.c).
 */
#ifndef SPOOL_BASELINE_COLOR_H
#define SPOOL_BASELINE_COLOR_H

#include <stddef.h>
#include <stdint.h>

/*
 * A row of chroma from the row that it lies in, n samples, and the one that it lies next to, which is below
 * or above. out has n samples, or 2 * n where chroma is halved in width. The row's ends are repeated beyond it.
 */
typedef void spool_baseline_upsample(const uint8_t *near, const uint8_t *far, int below, size_t n, uint8_t *out);

typedef struct {
    spool_baseline_upsample *wide; /* halved in width */
    spool_baseline_upsample *tall; /* in height */
    spool_baseline_upsample *both;
    spool_baseline_upsample *plain; /* in width or both, and so narrow that libjpeg-turbo repeats samples */
    void (*convert)(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, size_t n, uint8_t *rgb);
} spool_baseline_color;

/* At widths up to this chroma that is halved in width is repeated. */
enum { PLAIN_WIDTH = 2 };

extern const spool_baseline_color spool_baseline_color_scalar, spool_baseline_color_avx2;

/* Those of a level, as spool_baseline_idct_at. */
const spool_baseline_color *spool_baseline_color_at(int level);

/* What the kernels of machines do not do: samples [from, to) of n. */
void spool_baseline_wide_part(const uint8_t *near, size_t from, size_t to, size_t n, uint8_t *out);
void spool_baseline_both_part(const uint8_t *near, const uint8_t *far, size_t from, size_t to, size_t n, uint8_t *out);

#endif
