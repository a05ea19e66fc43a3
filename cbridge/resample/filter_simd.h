/*
 * The filter over vectors: one body for every instruction set, included by its file, which defines WIDTH,
 * the floats of a vector, and KEEP(v), which keeps one in its register: compilers would load a coefficient again for
 * the second channel, and loads are what the time goes by.
 */
#include <string.h>

#include "kernels.h"

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
#if WIDTH == 8
    const quad four =
        __builtin_shufflevector(part[0], part[0], 0, 1, 2, 3) + __builtin_shufflevector(part[0], part[0], 4, 5, 6, 7);
#else
    const quad four = part[0] + part[1];
#endif
    return (four[0] + four[2]) + (four[1] + four[3]);
}

/* The outputs of one or two channels, which share what is loaded of a row. */
INLINE spool_resample_position outputs(const spool_resample_filter *stored, const float *coefficients, int interpolated,
                                       spool_resample_position p, const float *window, size_t window_stride,
                                       size_t channels, size_t n, float *out, size_t out_stride)
{
    const spool_resample_filter f = *stored; /* in registers */
    for (size_t i = 0; i < n; i++) {
        const float *row = coefficients + p.row * f.taps, *x = window + p.at;
        const float between = interpolated ? spool_resample_between(&f, p) : 0;
        vec part[2][PARTS] = {0};
        for (int32_t t = 0; t < f.taps; t += SPOOL_RESAMPLE_LANES)
            for (int j = 0; j < PARTS; j++) {
                const size_t at = t + j * WIDTH;
                vec h = load_vec(row + at);
                if (interpolated)
                    h += (load_vec(row + f.taps + at) - h) * between;
                KEEP(h);
                for (size_t c = 0; c < channels; c++)
                    part[c][j] += load_vec(x + c * window_stride + at) * h;
            }
        for (size_t c = 0; c < channels; c++)
            out[c * out_stride + i] = total(part[c]);
        p = spool_resample_advance(&f, p);
    }
    return p;
}

static void filter(const spool_resample_filter *f, const float *coefficients, spool_resample_position *p,
                   const float *window, size_t window_stride, size_t channels, size_t n, float *out, size_t out_stride)
{
    const spool_resample_position start = *p;
    for (size_t c = 0; c < channels; c += 2) {
        const float *x = window + c * window_stride;
        float *y = out + c * out_stride;
        const int alone = c + 1 == channels;
        if (f->rows == f->denominator)
            *p = alone ? outputs(f, coefficients, 0, start, x, 0, 1, n, y, 0)
                       : outputs(f, coefficients, 0, start, x, window_stride, 2, n, y, out_stride);
        else
            *p = alone ? outputs(f, coefficients, 1, start, x, 0, 1, n, y, 0)
                       : outputs(f, coefficients, 1, start, x, window_stride, 2, n, y, out_stride);
    }
}

const spool_resample_kernels KERNELS = {NAME, load, pair, store, scale, accumulate, filter};
