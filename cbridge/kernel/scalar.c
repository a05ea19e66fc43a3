/* The kernels in plain C: the reference for the SIMD versions, and the fallback. */
#include <string.h>

#include "kernels.h"
#include "words.h"

/* If weights have two halves, sums have two halves until the end: both wrap around, and their total is right. */
static uint32_t total(uint32_t high, uint32_t low, int split)
{
    return split ? (high << 16) + low : high + low;
}

static uint8_t clamp_byte(uint32_t sum, int precision)
{
    int32_t value = (int32_t)sum >> precision;
    return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
}

static inline __attribute__((always_inline)) void horizontal_pixels(const spool_taps *taps, const int channels,
                                                                    const uint8_t *in, uint8_t *out)
{
    const uint32_t half = 1u << (taps->precision - 1);
    for (int32_t i = 0; i < taps->out; i++, out += channels) {
        const uint8_t *pixel = in + (size_t)taps->start[i] * channels;
        const int16_t *weight = taps->high + (size_t)i * taps->stride;
        uint32_t high[4] = {0}, low[4] = {half, half, half, half};
        for (int32_t k = 0; k < taps->taps; k++)
            for (int c = 0; c < channels; c++)
                high[c] += (uint32_t)(weight[k] * pixel[k * channels + c]);
        if (taps->low) {
            weight = taps->low + (size_t)i * taps->stride;
            for (int32_t k = 0; k < taps->taps; k++)
                for (int c = 0; c < channels; c++)
                    low[c] += (uint32_t)(weight[k] * pixel[k * channels + c]);
        }
        for (int c = 0; c < channels; c++)
            out[c] = clamp_byte(total(high[c], low[c], taps->low != NULL), taps->precision);
    }
}

static void horizontal(const spool_taps *taps, int channels, const uint8_t *const row[SPOOL_GROUP],
                       uint8_t *const out[SPOOL_GROUP])
{
    for (int r = 0; r < SPOOL_GROUP; r++)
        if (channels == 1)
            horizontal_pixels(taps, 1, row[r], out[r]);
        else if (channels == 3)
            horizontal_pixels(taps, 3, row[r], out[r]);
        else
            horizontal_pixels(taps, 4, row[r], out[r]);
}

/* sum[i] += weight * row[i] for a run of samples: a loop that compilers vectorize. */
enum { RUN = 64 };
static void add_run(uint32_t sum[RUN], const uint8_t *row, int16_t weight)
{
    for (int i = 0; i < RUN; i++)
        sum[i] += (uint32_t)(weight * (int16_t)row[i]);
}

static void vertical(const spool_taps *taps, int32_t i, const uint8_t *const *row, uint8_t *out, size_t n)
{
    const int16_t *high_weight = taps->high + (size_t)i * taps->stride;
    const int16_t *low_weight = taps->low ? taps->low + (size_t)i * taps->stride : NULL;

    for (size_t x = 0; x < n; x += RUN) {
        const size_t some = n - x < RUN ? n - x : RUN;
        uint32_t high[RUN] = {0}, low[RUN];
        for (size_t k = 0; k < RUN; k++)
            low[k] = 1u << (taps->precision - 1);
        for (int32_t k = 0; k < taps->taps; k++) {
            uint8_t tail[RUN] = {0};
            const uint8_t *run = row[k] + x;
            if (some < RUN)
                run = memcpy(tail, run, some);
            add_run(high, run, high_weight[k]);
            if (low_weight)
                add_run(low, run, low_weight[k]);
        }
        for (size_t k = 0; k < some; k++)
            out[x + k] = clamp_byte(total(high[k], low[k], low_weight != NULL), taps->precision);
    }
}

static void accumulate(const uint8_t *const row[SPOOL_GROUP], const spool_group_weights *weights, int begin, void *sums,
                       size_t n)
{
    uint32_t *sum = sums;
    for (size_t x = 0; x < n; x++) {
        uint32_t high = 0, low = begin ? 1u << (begin - 1) : sum[x];
        for (int k = 0; k < SPOOL_GROUP; k++) {
            high += (uint32_t)(weights->high[k] * row[k][x]);
            if (weights->split)
                low += (uint32_t)(weights->low[k] * row[k][x]);
        }
        sum[x] = total(high, low, weights->split);
    }
}

static void finish(const void *sums, int precision, uint8_t *out, size_t n)
{
    const uint32_t *sum = sums;
    for (size_t x = 0; x < n; x++)
        out[x] = clamp_byte(sum[x], precision);
}

static void remap(const spool_mapping *map, const uint8_t *in, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++, in += map->in, out += map->out)
        for (int k = 0; k < map->out; k++)
            out[k] = map->from[k] == SPOOL_OPAQUE ? 255 : in[map->from[k]];
}

static void gray(const uint8_t *rgb, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++, rgb += 3)
        out[i] = (uint8_t)((19595 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2] + 32768) >> 16);
}

static void blend(const uint8_t *rgba, const uint8_t color[3], uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++, rgba += 4, out += 3)
        for (int c = 0; c < 3; c++) {
            /* Division by 255, rounded: exact for all products of two bytes. */
            int sum = rgba[c] * rgba[3] + color[c] * (255 - rgba[3]) + 128;
            out[c] = (uint8_t)((sum + (sum >> 8)) >> 8);
        }
}

const spool_kernels spool_kernels_scalar = {"scalar",
                                            {horizontal, vertical, accumulate, finish, remap, gray, blend},
                                            WORD_KERNELS(horizontal_words, vertical_words),
                                            narrow};
