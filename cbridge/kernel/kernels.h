/*
 * The kernels: small functions over rows, in one table for each instruction set.
 *
 * Each has a scalar twin (scalar.c) that states what it computes; all of them give the same samples.
 * Kernels read whole vectors: every row they read is readable SPOOL_SLACK bytes beyond its end, and
 * rows they write are writable as far beyond, except where a kernel says that it writes exactly.
 */
#ifndef SPOOL_KERNELS_H
#define SPOOL_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#define SPOOL_SLACK 32

/* Rows that the passes take at a time. */
#define SPOOL_GROUP 4

/* Samples whose sums lie together: a row of sums has a multiple of these. */
#define SPOOL_SUMS 32

/*
 * One axis of a resize: output i is the sum of weight k * input[start[i] + k] over 0 <= k < taps, plus half of
 * 2^precision, shifted right by precision and clamped to what a sample holds.
 *
 * All outputs have the same number of taps: shorter windows are padded with zero weights, and
 * start[i] + taps never exceeds the input. Weight k of output i is at i * stride + k; stride is a multiple of 8,
 * also padded with zeros, and the arrays are padded with zeros to a multiple of 4 outputs.
 *
 * For samples of 8 bits, weights have 16 bits, or more that are kept as two halves: high * 2^16 + low. The
 * sum of a window's absolute weights, times 255, plus half of 2^precision, is below 2^31, so that the sum is right
 * whatever partial sums wrap around. For samples of 16 bits, weights have 32 bits and sums 64. Where they fit into 16,
 * and sums of samples less 2^15 into 32, they are there as such as well: `high`, and for each output `offset`, which
 * added to that sum makes it the whole one less 2^(precision + 15).
 *
 * Where the windows of each four outputs lie within one load of SPOOL_QUAD_BYTES, taps of one channel are there in
 * the order of these as well: `pairs` pairs of taps of four outputs, which are taken from the load at start[i], where i
 * is the first output, by `shuffle`, 16 bytes a pair (0x80: none), and weighed by `quad`, 8 weights a pair.
 */
#define SPOOL_QUAD_BYTES 16
typedef struct {
    int32_t in, out;
    int32_t taps, stride, precision;
    int32_t *start;
    int16_t *high; /* or the whole weights, where low is NULL */
    int16_t *low;
    int32_t *whole; /* for samples of 16 bits: in place of low, and of high where there is no offset */
    int32_t *offset;
    int32_t pairs; /* 0: none */
    uint8_t *shuffle;
    int16_t *quad;
} spool_taps;

/* The weights of a group of rows in the sum of one output, in the form that spool_taps has them. */
typedef struct {
    int16_t high[SPOOL_GROUP], low[SPOOL_GROUP];
    int32_t whole[SPOOL_GROUP];
    int split; /* high and low are halves */
} spool_group_weights;

/*
 * How a pixel of `in` channels becomes one of `out` channels: sample k is channel from[k], or the highest value where
 * from[k] is SPOOL_OPAQUE. shuffle and fill say the same for `step` pixels of 8 bits a channel, as many as 16 bytes
 * hold on both sides: the bytes to take (0x80: none) and the bits to set.
 */
#define SPOOL_OPAQUE 4
typedef struct {
    uint8_t in, out, step;
    uint8_t from[4];
    uint8_t shuffle[16], fill[16];
} spool_mapping;

/* A sample of 16 bits, at any address. */
typedef uint16_t __attribute__((aligned(1), may_alias)) spool_word;

/* The kernels for samples of one depth. Rows may lie at any address. */
typedef struct {
    /* Resizes SPOOL_GROUP rows of 1, 3 or 4 channels. */
    void (*horizontal)(const spool_taps *taps, int channels, const uint8_t *const row[SPOOL_GROUP],
                       uint8_t *const out[SPOOL_GROUP]);

    /* Output i of n samples from its window of rows. Reads an even number of rows. Writes exactly n samples. */
    void (*vertical)(const spool_taps *taps, int32_t i, const uint8_t *const *row, uint8_t *out, size_t n);

    /*
     * Adds a group of rows to the sums of n samples of an output, which begin with half of 2^begin, or go on where
     * begin is 0. Only finish knows in which order sums lie in memory. Each has 32 bits, 64 for samples of 16.
     */
    void (*accumulate)(const uint8_t *const row[SPOOL_GROUP], const spool_group_weights *weights, int begin, void *sums,
                       size_t n);

    /* The n samples that sums stand for. Writes exactly n samples. */
    void (*finish)(const void *sums, int precision, uint8_t *out, size_t n);

    /* Rearranges the channels of n pixels. Writes exactly n pixels. */
    void (*remap)(const spool_mapping *map, const uint8_t *in, uint8_t *out, size_t n);

    /* ITU-R 601 luma of n RGB pixels: (19595 R + 38470 G + 7471 B + 32768) >> 16, as Pillow has it. */
    void (*gray)(const uint8_t *rgb, uint8_t *out, size_t n);

    /*
     * n RGBA pixels over an opaque colour of 8 bits a channel, as RGB: colour and pixel weighted by alpha, divided by
     * the highest alpha, rounded.
     */
    void (*blend)(const uint8_t *rgba, const uint8_t color[3], uint8_t *out, size_t n);
} spool_depth;

typedef struct {
    const char *name;
    spool_depth bytes, words;                                  /* for samples of 8 and of 16 bits */
    void (*narrow)(const uint8_t *in, uint8_t *out, size_t n); /* n samples of 16 bits to their high bytes */
} spool_kernels;

/* The kernels of a level, 0 (scalar) up to spool_kernels_levels() - 1, the fastest that this machine runs. */
const spool_kernels *spool_kernels_at(int level);
int spool_kernels_levels(void);

extern const spool_kernels spool_kernels_scalar, spool_kernels_sse41, spool_kernels_avx2, spool_kernels_vnni,
    spool_kernels_neon;

#endif
