/* The kernels, in one table for each instruction set. scalar.c defines their results: all give the same bits. */
#ifndef SPOOL_RESAMPLE_KERNELS_H
#define SPOOL_RESAMPLE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The number of partial sums over the taps: tap t belongs to sum t modulo LANES. They are then added in halves: the
 * upper half to the lower, until one is left.
 */
#define SPOOL_RESAMPLE_LANES 8

/* Sample formats in native byte order, like Format of samples.go. */
enum {
    SPOOL_RESAMPLE_U8 = 1,
    SPOOL_RESAMPLE_S16,
    SPOOL_RESAMPLE_S32,
    SPOOL_RESAMPLE_S64,
    SPOOL_RESAMPLE_F32,
    SPOOL_RESAMPLE_F64,
    SPOOL_RESAMPLE_S24, /* three bytes, the lowest first */
    SPOOL_RESAMPLE_ALAW,
    SPOOL_RESAMPLE_MULAW,
};

/*
 * A filter: `rows` phases of `taps` coefficients, a multiple of LANES. Row r is for outputs that are r / rows of an
 * input sample after an input. With rows == denominator, every output has its own row. Otherwise there is one more row,
 * and an output is interpolated between two, at rest / denominator of the distance.
 */
typedef struct {
    int32_t taps, rows;
    int64_t denominator;
    int64_t whole, row, rest; /* the distance between outputs: samples, rows and parts of a row */
} spool_resample_filter;

/* The position of the next output: its first tap is sample `at` of the window. */
typedef struct {
    int64_t at, row, rest;
} spool_resample_position;

typedef struct {
    const char *name;

    /* Converts n samples of one channel, `stride` samples apart, to float; full scale is 1. */
    void (*load)(const void *src, int32_t format, size_t stride, size_t n, float *out);

    /* Mixes two channels to one: a * weights[0] + b * weights[1]. */
    void (*pair)(const void *a, const void *b, int32_t format, size_t stride, const float *weights, size_t n,
                 float *out);

    /* Converts n float samples to those of one channel, `stride` samples apart, rounded to even and clipped. */
    void (*store)(const float *in, int32_t format, size_t stride, size_t n, void *dst);

    /* out = in * weight, out += in * weight */
    void (*scale)(const float *in, float weight, size_t n, float *out);
    void (*accumulate)(const float *in, float weight, size_t n, float *out);

    /* Computes n outputs of each channel; all samples that they need are in the window. */
    void (*filter)(const spool_resample_filter *f, const float *coefficients, spool_resample_position *p,
                   const float *window, size_t window_stride, size_t channels, size_t n, float *out, size_t out_stride);
} spool_resample_kernels;

/* The kernels of a level, from 0 (scalar) to spool_resample_levels() - 1, the fastest that this machine supports. */
const spool_resample_kernels *spool_resample_kernels_at(int level);
int spool_resample_levels(void);

extern const spool_resample_kernels spool_resample_scalar, spool_resample_sse41, spool_resample_avx2,
    spool_resample_neon;

/* The position of the output after p. It has no branches, because carries of rows and samples are unpredictable. */
static inline spool_resample_position spool_resample_advance(const spool_resample_filter *f, spool_resample_position p)
{
    const int64_t rest = p.rest + f->rest, full = rest >= f->denominator;
    const int64_t row = p.row + f->row + full, over = row >= f->rows;
    return (spool_resample_position){p.at + f->whole + over, row - (over ? f->rows : 0),
                                     rest - (full ? f->denominator : 0)};
}

/* The fraction of the distance from an output's row to the next row. */
static inline float spool_resample_between(const spool_resample_filter *f, spool_resample_position p)
{
    return (float)p.rest / (float)f->denominator;
}

#endif
