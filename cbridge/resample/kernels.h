/*
 * The kernels, in one table for each instruction set, of which scalar.c is the definition: all give the
 * same bits.
 */
#ifndef SPOOL_RESAMPLE_KERNELS_H
#define SPOOL_RESAMPLE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* A sum over the taps is kept as so many partial ones, tap t in number t modulo LANES, which are then added
 * in halves: those of the upper half to those of the lower, until one is left. */
#define SPOOL_RESAMPLE_LANES 8

/* Samples' formats, in the machine's byte order, as Format of samples.go. */
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
 * A filter: `rows` phases of `taps` coefficients, a multiple of LANES, row r for outputs that lie r / rows of an
 * input sample behind one. With rows == denominator every output has its row. Otherwise there is one row more, and
 * an output lies between two, rest / denominator of the way from one to the next.
 */
typedef struct {
    int32_t taps, rows;
    int64_t denominator;
    int64_t whole, row, rest; /* how far an output lies behind the one before it: samples, rows and parts of a row */
} spool_resample_filter;

/* Where the next output is: its first tap is sample `at` of the window. */
typedef struct {
    int64_t at, row, rest;
} spool_resample_position;

typedef struct {
    const char *name;

    /* n samples of one channel, `stride` of them apart, become float; full scale is 1. */
    void (*load)(const void *src, int32_t format, size_t stride, size_t n, float *out);

    /* Two channels become one, a * weights[0] + b * weights[1]. */
    void (*pair)(const void *a, const void *b, int32_t format, size_t stride, const float *weights, size_t n,
                 float *out);

    /* n float samples become those of one channel, `stride` of them apart, rounded to even and clipped. */
    void (*store)(const float *in, int32_t format, size_t stride, size_t n, void *dst);

    /* out = in * weight, out += in * weight */
    void (*scale)(const float *in, float weight, size_t n, float *out);
    void (*accumulate)(const float *in, float weight, size_t n, float *out);

    /* n outputs of each channel; all samples that they need are in the window. */
    void (*filter)(const spool_resample_filter *f, const float *coefficients, spool_resample_position *p,
                   const float *window, size_t window_stride, size_t channels, size_t n, float *out, size_t out_stride);
} spool_resample_kernels;

/* The kernels of a level, 0 (scalar) up to spool_resample_levels() - 1, the fastest that this machine runs. */
const spool_resample_kernels *spool_resample_kernels_at(int level);
int spool_resample_levels(void);

extern const spool_resample_kernels spool_resample_scalar, spool_resample_sse41, spool_resample_avx2,
    spool_resample_neon;

/* The output behind the one at p. Whether a row or a sample is full is as good as random, so there is no branch. */
static inline spool_resample_position spool_resample_advance(const spool_resample_filter *f, spool_resample_position p)
{
    const int64_t rest = p.rest + f->rest, full = rest >= f->denominator;
    const int64_t row = p.row + f->row + full, over = row >= f->rows;
    return (spool_resample_position){p.at + f->whole + over, row - (over ? f->rows : 0),
                                     rest - (full ? f->denominator : 0)};
}

/* How far from its row to the next an output lies. */
static inline float spool_resample_between(const spool_resample_filter *f, spool_resample_position p)
{
    return (float)p.rest / (float)f->denominator;
}

#endif
