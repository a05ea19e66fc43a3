/*
 * From planes to rows of RGB, as in libjpeg-turbo. Upsampling is "fancy" (jdsample.c): the nearest sample of halved
 * chroma has the weight 3/4 and its neighbor 1/4. The conversion is BT.601 at full range, with factors of 16 bits
 * (jdcolor.c).
 *
 * Chroma that is halved in width is not upsampled separately. First a row of sums is made from the chroma row at the
 * image's row and the adjacent chroma row. The values between these sums are computed together with the pixels.
 */
#ifndef SPOOL_BASELINE_COLOR_H
#define SPOOL_BASELINE_COLOR_H

#include <stddef.h>
#include <stdint.h>

/* Samples of a row of sums are four times chroma, less 128. */
enum { SUM_BIAS = 4 * 128 };

/* The rounding term of a sum of 16 samples, for even and for odd pixels. */
typedef struct {
    int16_t even, odd;
} spool_baseline_rounding;

typedef struct {
    /* sums[i] = 3 * near[i] + far[i] - SUM_BIAS. The first and the last are repeated as sums[-1] and sums[n]. */
    void (*add)(const uint8_t *near, const uint8_t *far, size_t n, int16_t *sums);

    /* n pixels, from luma and rows of (n + 1) / 2 sums, after which WIDE_SLACK sums may be read. */
    void (*convert_wide)(const uint8_t *y, const int16_t *cb, const int16_t *cr, spool_baseline_rounding rounding,
                         size_t n, uint8_t *rgb);

    void (*convert)(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, size_t n, uint8_t *rgb);
} spool_baseline_color;

enum { WIDE_SLACK = 32 };

extern const spool_baseline_color spool_baseline_color_scalar, spool_baseline_color_sse41, spool_baseline_color_avx2,
    spool_baseline_color_avx512vl, spool_baseline_color_avx512, spool_baseline_color_neon;

/* The functions of a level, as in spool_baseline_idct_at. */
const spool_baseline_color *spool_baseline_color_at(int level);

/* Up to this width, chroma that is halved in width is repeated instead of interpolated, in any height. */
enum { PLAIN_WIDTH = 2 };

/* How chroma is upsampled: unchanged, or if it is halved in width, in height, in both, or by repetition. */
typedef enum { SAME, WIDE, TALL, BOTH, PLAIN } spool_baseline_upsampling;

/* Bytes of memory for an upsampled row of an image of `width`. */
size_t spool_baseline_upsampled_bytes(size_t width);

/*
 * Upsamples n samples of a row of chroma for spool_baseline_convert. near is the chroma row at the image's row, and far
 * the adjacent chroma row, which is after near if below is set. Returns the result in memory, which must be aligned to
 * a cache line, or near.
 */
const void *spool_baseline_upsample(const spool_baseline_color *color, spool_baseline_upsampling how,
                                    const uint8_t *near, const uint8_t *far, int below, size_t n, uint8_t *memory);

/* Converts a row of n pixels. */
void spool_baseline_convert(const spool_baseline_color *color, spool_baseline_upsampling how, const uint8_t *y,
                            const void *cb, const void *cr, size_t n, uint8_t *rgb);

#endif
