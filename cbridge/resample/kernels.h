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
#define SPOOL_RESAMPLE_LANES 16

/* Samples' formats, in the machine's byte order, as Format of samples.go. */
enum {
    SPOOL_RESAMPLE_U8 = 1,
    SPOOL_RESAMPLE_S16,
    SPOOL_RESAMPLE_S32,
    SPOOL_RESAMPLE_S64,
    SPOOL_RESAMPLE_F32,
    SPOOL_RESAMPLE_F64,
};

/*
 * A filter: `rows` phases of `taps` coefficients, a multiple of LANES, row p for outputs that lie p / rows of
 * an input sample behind one; where they lie is counted in `denominator`ths. With rows == denominator every
 * output has its row; otherwise there is one row more, and an output lies between two.
 */
typedef struct {
    int32_t taps, rows;
    int64_t denominator;
    int64_t whole, part; /* from one output to the next: whole + part / denominator input samples */
} spool_resample_filter;

/* Where the next output is: its first tap is sample `at` of the window, `phase` denominatorths short. */
typedef struct {
    int64_t at, phase;
} spool_resample_position;

typedef struct {
    const char *name;

    /* n samples of one channel, `stride` of them apart, become float; full scale is 1. */
    void (*load)(const void *src, int32_t format, size_t stride, size_t n, float *out);

    /* n float samples become those of one channel, `stride` of them apart, rounded to even and clipped. */
    void (*store)(const float *in, int32_t format, size_t stride, size_t n, void *dst);

    /* out = in * weight, out += in * weight */
    void (*scale)(const float *in, float weight, size_t n, float *out);
    void (*accumulate)(const float *in, float weight, size_t n, float *out);

    /* n outputs of each channel; all samples that they need are in the window. `between` is room for a row. */
    void (*filter)(const spool_resample_filter *f, const float *coefficients, float *between,
                   spool_resample_position *p, const float *window, size_t window_stride, size_t channels, size_t n,
                   float *out, size_t out_stride);
} spool_resample_kernels;

/* The kernels of a level, 0 (scalar) up to spool_resample_levels() - 1, the fastest that this machine runs. */
const spool_resample_kernels *spool_resample_kernels_at(int level);
int spool_resample_levels(void);

extern const spool_resample_kernels spool_resample_scalar, spool_resample_sse41, spool_resample_avx2,
    spool_resample_avx512, spool_resample_neon;

/* The coefficients of a phase that lies between two rows. */
static inline const float *spool_resample_between(const spool_resample_filter *f, const float *coefficients,
                                                  int64_t phase, float *between)
{
    const int64_t scaled = phase * f->rows, taps = f->taps;
    const float *row = coefficients + scaled / f->denominator * taps;
    const float part = (float)(scaled % f->denominator) / (float)f->denominator;
    for (int64_t t = 0; t < taps; t++)
        between[t] = row[t] + (row[t + taps] - row[t]) * part;
    return between;
}

/* The output behind the one at p. Whether a whole sample has gathered is as good as random, so no branch. */
static inline spool_resample_position spool_resample_advance(const spool_resample_filter *f, spool_resample_position p)
{
    const int64_t phase = p.phase + f->part, over = phase >= f->denominator;
    return (spool_resample_position){p.at + f->whole + over, phase - (over ? f->denominator : 0)};
}

#endif
