/*
 * The kernels of the planes sink, in one table for each instruction set, of which planes_scalar.c is
 * the definition. They read and write exactly what they are given.
 */
#ifndef SPOOL_PLANES_KERNELS_H
#define SPOOL_PLANES_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* How YCbCr becomes RGB: the last two by the coefficients of a video (planes_video.h). */
enum { SPOOL_RULE_WEBP, SPOOL_RULE_JPEG, SPOOL_RULE_VIDEO, SPOOL_RULE_SWSCALE, SPOOL_RULES };

/* bias is what belongs to luma; v_to_g and u_to_g are negative. */
typedef struct {
    int32_t luma, bias, v_to_r, u_to_g, v_to_g, u_to_b;
} spool_color;

/* n pixels of RGB. color is looked at by the last two rules. */
typedef void spool_convert(const uint8_t *y, const uint8_t *u, const uint8_t *v, size_t n, const spool_color *color,
                           uint8_t *rgb);

/* n samples of luma, of which nothing but the range changes. */
typedef void spool_expand(const uint8_t *y, size_t n, const spool_color *color, uint8_t *gray);

/* n samples, from memory to what is resized: in two planes, where they lie in pairs. */
typedef void spool_unpack(const uint8_t *in, size_t n, int shift, uint8_t *out);
typedef void spool_split(const uint8_t *in, size_t n, int shift, uint8_t *first, uint8_t *second);

typedef struct {
    const char *name;

    /*
     * One row of chroma at twice its width, 2 * n samples, from the row it lies in and the one it lies
     * next to: (9 near + 3 beside + 3 far + far beside + 8) / 16 with libwebp's rounding, mirrored at
     * both ends.
     */
    void (*upsample)(const uint8_t *near, const uint8_t *far, size_t n, uint8_t *out);

    spool_convert *convert[SPOOL_RULES];
    spool_convert *convert_words; /* a video of 16 bits to as many */
    spool_expand *expand, *expand_words;

    spool_split *split;   /* bytes; no shift */
    spool_unpack *reduce; /* words to bytes: shifted right by 1 to 8, rounded, 255 where they are more */
    spool_split *split_reduced;
    spool_unpack *raise; /* words, shifted left */
    spool_split *split_raised;
} spool_planes_kernels;

/* The kernels of a level, 0 (scalar) up to spool_planes_levels() - 1, the fastest that this machine runs. */
const spool_planes_kernels *spool_planes_kernels_at(int level);
int spool_planes_levels(void);

extern const spool_planes_kernels spool_planes_scalar, spool_planes_sse41, spool_planes_avx2, spool_planes_avx512,
    spool_planes_neon;

#endif
