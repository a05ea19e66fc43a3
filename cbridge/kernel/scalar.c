/* The kernels in plain C: the definition that the SIMD versions are compared with, and the fallback. */
#include "kernels.h"

static uint8_t scale(int32_t sum, int precision)
{
    sum = (sum + (1 << (precision - 1))) >> precision;
    return sum < 0 ? 0 : sum > 255 ? 255 : (uint8_t)sum;
}

static void horizontal(const spool_taps *taps, int channels, const uint8_t *const row[SPOOL_GROUP],
                       uint8_t *const out[SPOOL_GROUP])
{
    for (int r = 0; r < SPOOL_GROUP; r++) {
        for (int32_t i = 0; i < taps->out; i++) {
            const uint8_t *pixel = row[r] + (size_t)taps->start[i] * channels;
            const int16_t *weight = taps->weights + (size_t)i * taps->stride;
            for (int c = 0; c < channels; c++) {
                int32_t sum = 0;
                for (int32_t k = 0; k < taps->taps; k++)
                    sum += weight[k] * pixel[(size_t)k * channels + c];
                out[r][(size_t)i * channels + c] = scale(sum, taps->precision);
            }
        }
    }
}

static void vertical(const uint8_t *const *row, const int16_t *weights, int taps, int precision, uint8_t *out, size_t n)
{
    for (size_t x = 0; x < n; x++) {
        int32_t sum = 0;
        for (int k = 0; k < taps; k++)
            sum += weights[k] * row[k][x];
        out[x] = scale(sum, precision);
    }
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

const spool_kernels spool_kernels_scalar = {"scalar", horizontal, vertical, remap, gray, blend};
