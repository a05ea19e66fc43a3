/* The kernels in plain C: the definition of what all others give. */
#include "exact.h"

#include "samples.h"

static float dot(const float *x, const float *h, int32_t taps)
{
    float sum[SPOOL_RESAMPLE_LANES] = {0};
    for (int32_t t = 0; t < taps; t += SPOOL_RESAMPLE_LANES)
        for (int lane = 0; lane < SPOOL_RESAMPLE_LANES; lane++)
            sum[lane] += x[t + lane] * h[t + lane];
    for (int half = SPOOL_RESAMPLE_LANES / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++)
            sum[lane] += sum[lane + half];
    return sum[0];
}

static void filter(const spool_resample_filter *f, const float *coefficients, spool_resample_position *p,
                   const float *window, size_t window_stride, size_t channels, size_t n, float *out, size_t out_stride)
{
    for (size_t i = 0; i < n; i++) {
        const int64_t scaled = p->phase * f->rows;
        const float *row = coefficients + scaled / f->denominator * f->taps;
        const float between = (float)(scaled % f->denominator) / (float)f->denominator;
        for (size_t channel = 0; channel < channels; channel++) {
            const float *x = window + channel * window_stride + p->at;
            float y = dot(x, row, f->taps);
            if (f->rows != f->denominator)
                y += (dot(x, row + f->taps, f->taps) - y) * between;
            out[channel * out_stride + i] = y;
        }
        spool_resample_advance(f, p);
    }
}

const spool_resample_kernels spool_resample_scalar = {"scalar", load, store, scale, accumulate, filter};
