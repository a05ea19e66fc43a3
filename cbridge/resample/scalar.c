/* The kernels in plain C: the reference for all others. */
#include "exact.h"

#include "samples.h"

static float dot(const float *x, const float *h, const float *next, float between, int32_t taps)
{
    float sum[SPOOL_RESAMPLE_LANES] = {0};
    for (int32_t t = 0; t < taps; t += SPOOL_RESAMPLE_LANES)
        for (int lane = t; lane < t + SPOOL_RESAMPLE_LANES; lane++)
            sum[lane - t] += x[lane] * (next == NULL ? h[lane] : h[lane] + (next[lane] - h[lane]) * between);
    for (int half = SPOOL_RESAMPLE_LANES / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++)
            sum[lane] += sum[lane + half];
    return sum[0];
}

static void filter(const spool_resample_filter *f, const float *coefficients, spool_resample_position *p,
                   const float *window, size_t window_stride, size_t channels, size_t n, float *out, size_t out_stride)
{
    for (size_t i = 0; i < n; i++, *p = spool_resample_advance(f, *p)) {
        const float *row = coefficients + p->row * f->taps;
        const float *next = f->rows == f->denominator ? NULL : row + f->taps;
        for (size_t c = 0; c < channels; c++)
            out[c * out_stride + i] =
                dot(window + c * window_stride + p->at, row, next, spool_resample_between(f, *p), f->taps);
    }
}

const spool_resample_kernels spool_resample_scalar = {"scalar", load, pair, store, scale, accumulate, filter};
