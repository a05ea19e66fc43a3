/*
 * From planes to rows of RGB, as libjpeg-turbo does: "fancy" upsampling (jdsample.c), where a sample of halved
 * chroma counts three quarters and its neighbour one, and the conversion of BT.601 at full range with factors of 16
 * bits (jdcolor.c).
 *
 * Chroma that is halved in width is not upsampled by itself. A row of sums is made first, of the row of chroma that
 * the picture's row lies in and of the one that it lies next to; what these are in between is made with the pixels.
 */
#ifndef SPOOL_BASELINE_COLOR_H
#define SPOOL_BASELINE_COLOR_H

#include <stddef.h>
#include <stdint.h>

/* Samples of a row of sums are four times chroma, less 128. */
enum { SUM_BIAS = 4 * 128 };

/* What is added before a sum of 16 samples is divided: to an even pixel's and to an odd one's. */
typedef struct {
    int16_t even, odd;
} spool_baseline_rounding;

typedef struct {
    /* sums[i] = 3 * near[i] + far[i] - SUM_BIAS, and the first and the last again as sums[-1] and sums[n]. */
    void (*add)(const uint8_t *near, const uint8_t *far, size_t n, int16_t *sums);

    /* n pixels, of luma and of rows of (n + 1) / 2 sums, beyond which WIDE_SLACK may be read. */
    void (*convert_wide)(const uint8_t *y, const int16_t *cb, const int16_t *cr, spool_baseline_rounding rounding,
                         size_t n, uint8_t *rgb);

    void (*convert)(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, size_t n, uint8_t *rgb);
} spool_baseline_color;

enum { WIDE_SLACK = 32 };

extern const spool_baseline_color spool_baseline_color_scalar, spool_baseline_color_sse41, spool_baseline_color_avx2,
    spool_baseline_color_avx512, spool_baseline_color_neon;

/* Those of a level, as spool_baseline_idct_at. */
const spool_baseline_color *spool_baseline_color_at(int level);

/* At widths up to this chroma that is halved in width is repeated, whether it is halved in height or not. */
enum { PLAIN_WIDTH = 2 };

/* How chroma becomes as large as luma: not at all, or where it is halved in width, in height, in both. */
typedef enum { SAME, WIDE, TALL, BOTH, PLAIN } spool_baseline_upsampling;

/* Bytes of memory for an upsampled row of a picture of `width`. */
size_t spool_baseline_upsampled_bytes(size_t width);

/*
 * n samples of the row of chroma that a row of the picture lies in and of the one that it lies next to, which is
 * below or above, to what spool_baseline_convert takes: in memory, at an address of a cache line, or where they
 * are.
 */
const void *spool_baseline_upsample(const spool_baseline_color *color, spool_baseline_upsampling how,
                                    const uint8_t *near, const uint8_t *far, int below, size_t n, uint8_t *memory);

/* A row of n pixels. */
void spool_baseline_convert(const spool_baseline_color *color, spool_baseline_upsampling how, const uint8_t *y,
                            const void *cb, const void *cr, size_t n, uint8_t *rgb);

#endif
