/*
 * The filter over vectors: one body for every instruction set, included by its file, which defines WIDTH,
 * the floats of a vector, and KEEP(v), which keeps one in its register: compilers would load a coefficient again for
 * the second channel, and loads are what the time goes by.
 */
#include <string.h>

#include "kernels.h"

#define INLINE static inline __attribute__((always_inline))
#define PARTS (SPOOL_RESAMPLE_LANES / WIDTH)

typedef float vec __attribute__((vector_size(4 * WIDTH)));
typedef float quad __attribute__((vector_size(16)));

INLINE vec load_vec(const float *p)
{
    vec v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* The partial sums of one output, added in halves. */
INLINE float total(const vec part[PARTS])
{
#if WIDTH == 16
    typedef float half __attribute__((vector_size(32)));
    const half eight = __builtin_shufflevector(part[0], part[0], 0, 1, 2, 3, 4, 5, 6, 7) +
                       __builtin_shufflevector(part[0], part[0], 8, 9, 10, 11, 12, 13, 14, 15);
#elif WIDTH == 8
    const vec eight = part[0] + part[1];
#endif
#if WIDTH == 4
    const quad four = (part[0] + part[2]) + (part[1] + part[3]);
#else
    const quad four =
        __builtin_shufflevector(eight, eight, 0, 1, 2, 3) + __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
#endif
    return (four[0] + four[2]) + (four[1] + four[3]);
}

/* The outputs of one or two channels, which share what is loaded of a row. */
INLINE spool_resample_position outputs(const spool_resample_filter *stored, const float *coefficients, float *between,
                                       int interpolated, spool_resample_position p, const float *window,
                                       size_t window_stride, size_t channels, size_t n, float *out, size_t out_stride)
{
    const spool_resample_filter f = *stored; /* in registers */
    for (size_t i = 0; i < n; i++) {
        const float *row = !interpolated ? coefficients + p.phase * f.taps
                                         : spool_resample_between(&f, coefficients, p.phase, between);
        const float *x = window + p.at;
        vec part[2][PARTS] = {0};
        for (int32_t t = 0; t < f.taps; t += SPOOL_RESAMPLE_LANES)
            for (int j = 0; j < PARTS; j++) {
                vec h = load_vec(row + t + j * WIDTH);
                KEEP(h);
                for (size_t c = 0; c < channels; c++)
                    part[c][j] += load_vec(x + c * window_stride + t + j * WIDTH) * h;
            }
        for (size_t c = 0; c < channels; c++)
            out[c * out_stride + i] = total(part[c]);
        p = spool_resample_advance(&f, p);
    }
    return p;
}

static void filter(const spool_resample_filter *f, const float *coefficients, float *between,
                   spool_resample_position *p, const float *window, size_t window_stride, size_t channels, size_t n,
                   float *out, size_t out_stride)
{
    const spool_resample_position start = *p;
    for (size_t c = 0; c < channels; c += 2) {
        const float *x = window + c * window_stride;
        float *y = out + c * out_stride;
        const int alone = c + 1 == channels;
        if (f->rows != f->denominator)
            *p = alone ? outputs(f, coefficients, between, 1, start, x, 0, 1, n, y, 0)
                       : outputs(f, coefficients, between, 1, start, x, window_stride, 2, n, y, out_stride);
        else
            *p = alone ? outputs(f, coefficients, between, 0, start, x, 0, 1, n, y, 0)
                       : outputs(f, coefficients, between, 0, start, x, window_stride, 2, n, y, out_stride);
    }
}

const spool_resample_kernels KERNELS = {NAME, load, store, scale, accumulate, filter};
