/*
 * The kernels: small functions over rows, in one table for each instruction set.
 *
 * Each has a scalar version (scalar.c) that defines its result; all versions give the same samples. Kernels read whole
 * vectors: every row that they read is readable SPOOL_SLACK bytes beyond its end. Rows that they write are writable as
 * far beyond, unless a kernel is documented to write exactly.
 */
#ifndef SPOOL_KERNELS_H
#define SPOOL_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#define SPOOL_SLACK 32

/* Rows that the passes process at a time. */
#define SPOOL_GROUP 4

/* The number of samples in a row of sums is rounded up to a multiple of this. */
#define SPOOL_SUMS 32

/*
 * The resize of one axis. Output i is the sum of weight k * input[start[i] + k] over 0 <= k < taps, plus half of
 * 2^precision, shifted right by precision and clamped to the range of a sample.
 *
 * All outputs have the same number of taps: shorter windows are padded with zero weights, and start[i] + taps never
 * exceeds the input. Weight k of output i is at i * stride + k. The stride is a multiple of 8, padded with zeros, and
 * the arrays are padded with zeros to a multiple of 4 outputs.
 *
 * For 8-bit samples, weights have 16 bits, or more bits that are kept as two halves: high * 2^16 + low. The sum of a
 * window's absolute weights, times 255, plus half of 2^precision, is below 2^31, so that the sum is right even if
 * partial sums wrap around. For 16-bit samples, weights have 32 bits and sums 64. If all weights fit into 16 bits, and
 * sums of samples less 2^15 into 32 bits, there is a second form: the weights `high`, and an `offset` for each output.
 * Such a sum plus the offset is the full sum less 2^(precision + 15).
 *
 * If the windows of each four outputs are within one load of SPOOL_QUAD_BYTES, the taps of one channel have another
 * form as well: `pairs` pairs of taps of four outputs. They are taken from the load at start[i], where i is the first
 * output, by `shuffle`, 16 bytes for each pair (0x80: none), and weighted by `quad`, 8 weights for each pair.
 */
#define SPOOL_QUAD_BYTES 16
typedef struct {
    int32_t in, out;
    int32_t taps, stride, precision;
    int32_t *start;
    int16_t *high; /* the upper halves, or the whole weights if low is NULL */
    int16_t *low;
    int32_t *whole; /* for 16-bit samples: used in place of low, and of high if there is no offset */
    int32_t *offset;
    int32_t pairs; /* 0: none */
    uint8_t *shuffle;
    int16_t *quad;
} spool_taps;

/* The weights of a group of rows in the sum of one output, in the representation of spool_taps. */
typedef struct {
    int16_t high[SPOOL_GROUP], low[SPOOL_GROUP];
    int32_t whole[SPOOL_GROUP];
    int split; /* high and low are halves */
} spool_group_weights;

/*
 * Maps a pixel of `in` channels to one of `out` channels: sample k is channel from[k], or the highest value if from[k]
 * is SPOOL_OPAQUE. shuffle and fill do the same for `step` pixels of 8-bit channels. shuffle has the bytes to take
 * (0x80: none), and fill the bits to set. `step` is how many pixels 16 bytes hold, both of the input and of the output.
 */
#define SPOOL_OPAQUE 4
typedef struct {
    uint8_t in, out, step;
    uint8_t from[4];
    uint8_t shuffle[16], fill[16];
} spool_mapping;

/* A 16-bit sample at any address. */
typedef uint16_t __attribute__((aligned(1), may_alias)) spool_word;

/* The kernels for samples of one depth. Rows may have any address. */
typedef struct {
    /* Resizes SPOOL_GROUP rows of 1, 3 or 4 channels. */
    void (*horizontal)(const spool_taps *taps, int channels, const uint8_t *const row[SPOOL_GROUP],
                       uint8_t *const out[SPOOL_GROUP]);

    /*
     * Computes output i of n samples from its window of rows. Reads an even number of rows. Writes exactly n samples.
     */
    void (*vertical)(const spool_taps *taps, int32_t i, const uint8_t *const *row, uint8_t *out, size_t n);

    /*
     * Adds a group of rows to the sums of n samples of an output. The sums are initialized with half of 2^begin, or
     * continued if begin is 0. Each sum has 32 bits, or 64 for 16-bit samples. Their order in memory is private to
     * accumulate and finish.
     */
    void (*accumulate)(const uint8_t *const row[SPOOL_GROUP], const spool_group_weights *weights, int begin, void *sums,
                       size_t n);

    /* Converts n sums to samples. Writes exactly n samples. */
    void (*finish)(const void *sums, int precision, uint8_t *out, size_t n);

    /* Rearranges the channels of n pixels. Writes exactly n pixels. */
    void (*remap)(const spool_mapping *map, const uint8_t *in, uint8_t *out, size_t n);

    /* ITU-R 601 luma of n RGB pixels: (19595 R + 38470 G + 7471 B + 32768) >> 16, as in Pillow. */
    void (*gray)(const uint8_t *rgb, uint8_t *out, size_t n);

    /*
     * Blends n RGBA pixels over an opaque color of 8 bits a channel, to RGB: color and pixel are weighted by alpha,
     * divided by the highest alpha and rounded.
     */
    void (*blend)(const uint8_t *rgba, const uint8_t color[3], uint8_t *out, size_t n);
} spool_depth;

typedef struct {
    const char *name;
    spool_depth bytes, words;                                  /* for 8-bit and for 16-bit samples */
    void (*narrow)(const uint8_t *in, uint8_t *out, size_t n); /* n 16-bit samples to their high bytes */
} spool_kernels;

/* The kernels of a level, from 0 (scalar) to spool_kernels_levels() - 1, the fastest that this machine supports. */
const spool_kernels *spool_kernels_at(int level);
int spool_kernels_levels(void);

extern const spool_kernels spool_kernels_scalar, spool_kernels_sse41, spool_kernels_avx2, spool_kernels_vnni,
    spool_kernels_neon;

#endif
