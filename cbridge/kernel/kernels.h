/*
 * The pixel kernels: small functions over rows, in one table for each instruction set.
 *
 * Each has a scalar twin (scalar.c) that states what it computes; all of them give the same bytes.
 * Kernels read whole vectors: every row they read is readable SPOOL_SLACK bytes beyond its end, and
 * rows they write are writable as far beyond, except where a kernel says that it writes exactly.
 */
#ifndef SPOOL_KERNELS_H
#define SPOOL_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#define SPOOL_SLACK 32

/* Rows that the horizontal pass takes at a time. */
#define SPOOL_GROUP 4

/*
 * One axis of a resize: output i is the sum of weights[i * stride + k] * input[start[i] + k] over
 * 0 <= k < taps, plus half of 2^precision, shifted right by precision and clamped to 0..255.
 *
 * All outputs have the same number of taps: shorter windows are padded with zero weights, and
 * start[i] + taps never exceeds the input. stride is a multiple of 8, also padded with zeros, and the
 * arrays are padded with zeros to a multiple of 4 outputs. The sum of a window's absolute weights,
 * times 255, plus half of 2^precision, is below 2^31, so that no partial sum overflows.
 */
typedef struct {
    int32_t in, out;
    int32_t taps, stride, precision;
    int32_t *start;
    int16_t *weights;
} spool_taps;

/*
 * How a pixel of `in` channels becomes one of `out` channels: byte k is channel from[k], or 255 where
 * from[k] is SPOOL_OPAQUE. shuffle and fill say the same for `step` pixels, as many as 16 bytes hold on
 * both sides: the bytes to take (0x80: none) and the bits to set.
 */
#define SPOOL_OPAQUE 4
typedef struct {
    uint8_t in, out, step;
    uint8_t from[4];
    uint8_t shuffle[16], fill[16];
} spool_mapping;

typedef struct {
    const char *name;

    /* Resizes SPOOL_GROUP rows of 1, 3 or 4 channels. */
    void (*horizontal)(const spool_taps *taps, int channels, const uint8_t *const row[SPOOL_GROUP],
                       uint8_t *const out[SPOOL_GROUP]);

    /*
     * One output row of n bytes from its window of rows, where weights are one output's (its stride
     * long). Reads an even number of rows. Writes exactly n bytes.
     */
    void (*vertical)(const uint8_t *const *row, const int16_t *weights, int taps, int precision, uint8_t *out,
                     size_t n);

    /* Rearranges the channels of n pixels. Writes exactly n pixels. */
    void (*remap)(const spool_mapping *map, const uint8_t *in, uint8_t *out, size_t n);

    /* ITU-R 601 luma of n RGB pixels: (19595 R + 38470 G + 7471 B + 32768) >> 16, as Pillow has it. */
    void (*gray)(const uint8_t *rgb, uint8_t *out, size_t n);

    /* n RGBA pixels over an opaque colour, as RGB: colour and pixel weighted by alpha, divided by 255, rounded. */
    void (*blend)(const uint8_t *rgba, const uint8_t color[3], uint8_t *out, size_t n);
} spool_kernels;

/* The kernels of a level, 0 (scalar) up to spool_kernels_levels() - 1, the fastest that this machine runs. */
const spool_kernels *spool_kernels_at(int level);
int spool_kernels_levels(void);

extern const spool_kernels spool_kernels_scalar, spool_kernels_sse41, spool_kernels_avx2, spool_kernels_neon;

#endif
