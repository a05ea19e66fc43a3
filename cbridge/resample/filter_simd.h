/*
 * The filter in terms of vectors. Each instruction set's file includes this source after it defines WIDTH, the floats
 * of a vector, and KEEP(v), which keeps a vector in its register. Without KEEP, compilers load a coefficient again for
 * the second channel, and loads determine the speed.
 */
#include <string.h>

#include "kernels.h"
#include "shuffle.h"

#define PARTS (SPOOL_RESAMPLE_LANES / WIDTH)

typedef float vec __attribute__((vector_size(4 * WIDTH)));
typedef float quad __attribute__((vector_size(16)));
typedef int quad_mask __attribute__((vector_size(16)));

INLINE vec load_vec(const float *p)
{
    vec v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* The partial sums of one output, with the upper half added to the lower. */
INLINE quad halved(const vec part[PARTS])
{
#if WIDTH == 8
    quad low, high;
    memcpy(&low, part, sizeof low);
    memcpy(&high, (const char *)part + sizeof low, sizeof high);
    return low + high;
#else
    return part[0] + part[1];
#endif
}

/* The total of the partial sums, added in halves. */
INLINE float total(const vec part[PARTS])
{
    const quad four = halved(part);
    return (four[0] + four[2]) + (four[1] + four[3]);
}

/* The same for four outputs side by side. */
INLINE quad totals(const vec part[4][PARTS])
{
    const quad a = halved(part[0]), b = halved(part[1]), c = halved(part[2]), d = halved(part[3]);
    const quad low = SHUFFLE(quad_mask, a, b, 0, 1, 4, 5) + SHUFFLE(quad_mask, a, b, 2, 3, 6, 7);
    const quad high = SHUFFLE(quad_mask, c, d, 0, 1, 4, 5) + SHUFFLE(quad_mask, c, d, 2, 3, 6, 7);
    return SHUFFLE(quad_mask, low, high, 0, 2, 4, 6) + SHUFFLE(quad_mask, low, high, 1, 3, 5, 7);
}

/* The distance between two outputs, and between two pairs of them. */
typedef struct {
    int64_t one, pair;
} steps;

INLINE int64_t step_to(steps s, int i)
{
    return i % 2 * s.one + i / 2 * s.pair;
}

/* Computes `count` outputs that share a row, at most 4: each load of the row serves all of them. */
INLINE void together(const float *row, int32_t taps, const float *x, steps from, float *out, steps to, const int count)
{
    vec part[4][PARTS] = {0};
    for (int32_t t = 0; t < taps; t += SPOOL_RESAMPLE_LANES)
        for (int j = 0; j < PARTS; j++) {
            const int32_t at = t + j * WIDTH;
            vec h = load_vec(row + at);
            KEEP(h);
            for (int i = 0; i < count; i++)
                part[i][j] += load_vec(x + step_to(from, i) + at) * h;
        }
    if (count == 4) {
        const quad y = totals(part);
        for (int i = 0; i < 4; i++)
            out[step_to(to, i)] = y[i];
    } else {
        for (int i = 0; i < count; i++)
            out[step_to(to, i)] = total(part[i]);
    }
}

/* Outputs of one or two channels, if each output has its own row. The output `rows` later has the same row. */
INLINE void by_rows(const spool_resample_filter *f, const float *coefficients, spool_resample_position p,
                    const float *window, int64_t window_stride, const int channels, int64_t n, float *out,
                    int64_t out_stride)
{
    const int64_t apart = f->whole * f->rows + f->row, rows = f->rows, many = 4 / channels;
    const steps from = channels == 2 ? (steps){window_stride, apart} : (steps){apart, 2 * apart};
    const steps to = channels == 2 ? (steps){out_stride, rows} : (steps){rows, 2 * rows};
    for (int64_t first = 0; first < n && first < rows; first++, p = spool_resample_advance(f, p)) {
        const float *row = coefficients + p.row * f->taps, *x = window + p.at;
        int64_t i = first;
        for (; i + (many - 1) * rows < n; i += many * rows, x += many * apart)
            together(row, f->taps, x, from, out + i, to, 4);
        if (i < n && channels == 2)
            together(row, f->taps, x, from, out + i, to, 2);
        else if (i + 2 * rows < n)
            together(row, f->taps, x, from, out + i, to, 3);
        else if (i + rows < n)
            together(row, f->taps, x, from, out + i, to, 2);
        else if (i < n)
            together(row, f->taps, x, from, out + i, to, 1);
    }
}

/* Outputs of one or two channels, interpolated between two rows. The channels share the loads of the rows. */
INLINE spool_resample_position between_rows(const spool_resample_filter *stored, const float *coefficients,
                                            spool_resample_position p, const float *window, size_t window_stride,
                                            size_t channels, size_t n, float *out, size_t out_stride)
{
    const spool_resample_filter f = *stored; /* in registers */
    for (size_t i = 0; i < n; i++) {
        const float *row = coefficients + p.row * f.taps, *x = window + p.at;
        const float between = spool_resample_between(&f, p);
        vec part[2][PARTS] = {0};
        for (int32_t t = 0; t < f.taps; t += SPOOL_RESAMPLE_LANES)
            for (int j = 0; j < PARTS; j++) {
                const size_t at = t + j * WIDTH;
                vec h = load_vec(row + at);
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

/* Either of both, for one or two channels. */
INLINE spool_resample_position outputs(const spool_resample_filter *f, const float *coefficients,
                                       spool_resample_position p, const float *window, size_t window_stride,
                                       const int channels, size_t n, float *out, size_t out_stride)
{
    if (f->rows != f->denominator)
        return between_rows(f, coefficients, p, window, window_stride, channels, n, out, out_stride);
    by_rows(f, coefficients, p, window, window_stride, channels, n, out, out_stride);
    const int64_t rows = p.row + n * f->row;
    return (spool_resample_position){p.at + n * f->whole + rows / f->rows, rows % f->rows, 0};
}

static void filter(const spool_resample_filter *f, const float *coefficients, spool_resample_position *p,
                   const float *window, size_t window_stride, size_t channels, size_t n, float *out, size_t out_stride)
{
    const spool_resample_position start = *p;
    for (size_t c = 0; c < channels; c += 2) {
        const float *x = window + c * window_stride;
        float *y = out + c * out_stride;
        *p = c + 1 == channels ? outputs(f, coefficients, start, x, 0, 1, n, y, 0)
                               : outputs(f, coefficients, start, x, window_stride, 2, n, y, out_stride);
    }
}

const spool_resample_kernels KERNELS = {NAME, load, pair, store, scale, accumulate, filter};
