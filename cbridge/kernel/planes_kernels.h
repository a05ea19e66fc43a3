/*
 * The kernels of the planes sink, in one table for each instruction set. planes_scalar.c defines their results. They
 * read and write exactly the given samples.
 */
#ifndef SPOOL_PLANES_KERNELS_H
#define SPOOL_PLANES_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* The conversions of YCbCr to RGB. The last two use the coefficients of a video (planes_video.h). */
enum { SPOOL_RULE_WEBP, SPOOL_RULE_JPEG, SPOOL_RULE_VIDEO, SPOOL_RULE_SWSCALE, SPOOL_RULES };

/* bias is added to luma; v_to_g and u_to_g are negative. */
typedef struct {
    int32_t luma, bias, v_to_r, u_to_g, v_to_g, u_to_b;
} spool_color;

/* Converts n pixels to RGB. Only the last two rules use color. */
typedef void spool_convert(const uint8_t *y, const uint8_t *u, const uint8_t *v, size_t n, const spool_color *color,
                           uint8_t *rgb);

/* Changes the range of n samples of luma. */
typedef void spool_expand(const uint8_t *y, size_t n, const spool_color *color, uint8_t *gray);

/*
 * Convert n samples from memory to the samples that are resized; spool_split separates interleaved ones into two
 * planes.
 */
typedef void spool_unpack(const uint8_t *in, size_t n, int shift, uint8_t *out);
typedef void spool_split(const uint8_t *in, size_t n, int shift, uint8_t *first, uint8_t *second);

typedef struct {
    const char *name;

    /*
     * Upsamples a row of n chroma samples to 2 * n samples. near is the chroma row of the luma row, and far the
     * adjacent one. A result is (9 a + 3 b + 3 c + d + 8) / 16 with libwebp's rounding. a and b are the nearest samples
     * of near, c and d those of far. The rows are mirrored at both ends.
     */
    void (*upsample)(const uint8_t *near, const uint8_t *far, size_t n, uint8_t *out);

    spool_convert *convert[SPOOL_RULES];
    spool_convert *convert_words; /* from 16-bit video to 16-bit rows */
    spool_expand *expand, *expand_words;

    spool_split *split;   /* bytes; no shift */
    spool_unpack *reduce; /* words to bytes: shifted right by 1 to 8, rounded, at most 255 */
    spool_split *split_reduced;
    spool_unpack *raise; /* words, shifted left */
    spool_split *split_raised;
} spool_planes_kernels;

/* The kernels of a level, from 0 (scalar) to spool_planes_levels() - 1, and the fastest level on this machine. */
const spool_planes_kernels *spool_planes_kernels_at(int level);
int spool_planes_levels(void);
int spool_planes_best(void);

extern const spool_planes_kernels spool_planes_scalar, spool_planes_sse41, spool_planes_avx2, spool_planes_avx512,
    spool_planes_neon;

#endif
