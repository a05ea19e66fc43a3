/*
 * The kernels of the planes sink, in one table for each instruction set, of which planes_scalar.c is
 * the definition. They read and write exactly what they are given.
 */
#ifndef SPOOL_PLANES_KERNELS_H
#define SPOOL_PLANES_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* How YCbCr becomes RGB. */
enum { SPOOL_RULE_WEBP, SPOOL_RULE_JPEG, SPOOL_RULES };

/* n pixels of RGB. */
typedef void spool_convert(const uint8_t *y, const uint8_t *u, const uint8_t *v, size_t n, uint8_t *rgb);

typedef struct {
    const char *name;

    /*
     * One row of chroma at twice its width, 2 * n samples, from the row it lies in and the one it lies
     * next to: (9 near + 3 beside + 3 far + far beside + 8) / 16 with libwebp's rounding, mirrored at
     * both ends.
     */
    void (*upsample)(const uint8_t *near, const uint8_t *far, size_t n, uint8_t *out);

    spool_convert *convert[SPOOL_RULES];
} spool_planes_kernels;

/* The kernels of a level, 0 (scalar) up to spool_planes_levels() - 1, the fastest that this machine runs. */
const spool_planes_kernels *spool_planes_kernels_at(int level);
int spool_planes_levels(void);

extern const spool_planes_kernels spool_planes_scalar, spool_planes_sse41, spool_planes_avx2, spool_planes_avx512,
    spool_planes_neon;

#endif
