/*
 * The kernels, in C that compilers vectorize. A file of each instruction set includes this one, after it has set the
 * compiler's target and defined OPS, the name of its table. Colors are processed in runs of RUN pixels, as planes.
 */
#include "exact.h"

#include <string.h>

#include "ops.h"

/* No value depends on floating point traps, which would keep choices from becoming selections of vectors. */
#if !defined(__clang__)
#pragma GCC optimize("no-trapping-math")
#endif

enum { RUN = 64 };

typedef struct {
    float r[RUN], g[RUN], b[RUN];
} run;

static inline float clamped(float x)
{
    x = x < 0 ? 0 : x;
    return x > 255 ? 255 : x;
}

/* ITU-R 601 luma, with torchvision's coefficients. */
static inline float luma_of(float r, float g, float b)
{
    return r * 0.2989f + 0.587f * g + 0.114f * b;
}

static inline void planes(run *to, const uint8_t *from, int n)
{
    for (int i = 0; i < n; i++) {
        to->r[i] = from[3 * i];
        to->g[i] = from[3 * i + 1];
        to->b[i] = from[3 * i + 2];
    }
}

static inline void pixels(uint8_t *to, const run *from, int n)
{
    for (int i = 0; i < n; i++) {
        to[3 * i] = (uint8_t)(int32_t)from->r[i];
        to[3 * i + 1] = (uint8_t)(int32_t)from->g[i];
        to[3 * i + 2] = (uint8_t)(int32_t)from->b[i];
    }
}

static size_t count(const spool_raster *r)
{
    return (size_t)r->width * (size_t)r->height;
}

static size_t row_bytes(const spool_raster *r)
{
    return (size_t)r->width * (size_t)r->channels;
}

static int length(size_t left)
{
    return left < RUN ? (int)left : RUN;
}

static uint64_t luma(const spool_raster *r)
{
    uint64_t sum = 0;
    size_t all = count(r);
    if (r->channels == 1) {
        for (size_t i = 0; i < all; i++)
            sum += r->pixels[i];
        return sum;
    }
    run p = {0};
    for (size_t i = 0; i < all; i += RUN) {
        int n = length(all - i), part = 0;
        planes(&p, r->pixels + 3 * i, n);
        for (int k = 0; k < n; k++)
            part += (int32_t)luma_of(p.r[k], p.g[k], p.b[k]);
        sum += (uint64_t)part;
    }
    return sum;
}

static void histogram(const spool_raster *r, uint32_t counts[3][256])
{
    size_t all = count(r);
    memset(counts, 0, 3 * sizeof counts[0]);
    if (r->channels == 1) {
        for (size_t i = 0; i < all; i++)
            counts[0][r->pixels[i]]++;
        return;
    }
    for (size_t i = 0; i < all; i++) {
        counts[0][r->pixels[3 * i]]++;
        counts[1][r->pixels[3 * i + 1]]++;
        counts[2][r->pixels[3 * i + 2]]++;
    }
}

static void lookup(const spool_raster *r, uint8_t tables[3][256])
{
    size_t all = count(r);
    uint8_t *p = r->pixels;
    if (r->channels == 1) {
        for (size_t i = 0; i < all; i++)
            p[i] = tables[0][p[i]];
        return;
    }
    for (size_t i = 0; i < all; i++, p += 3) {
        p[0] = tables[0][p[0]];
        p[1] = tables[1][p[1]];
        p[2] = tables[2][p[2]];
    }
}

static void saturate(const spool_raster *r, float factor)
{
    size_t all = count(r);
    float rest = (float)(1.0 - (double)factor);
    run p = {0};
    for (size_t i = 0; i < all; i += RUN) {
        int n = length(all - i);
        planes(&p, r->pixels + 3 * i, n);
        for (int k = 0; k < RUN; k++) {
            float gray = (float)(int32_t)luma_of(p.r[k], p.g[k], p.b[k]) * rest;
            p.r[k] = clamped(p.r[k] * factor + gray);
            p.g[k] = clamped(p.g[k] * factor + gray);
            p.b[k] = clamped(p.b[k] * factor + gray);
        }
        pixels(r->pixels + 3 * i, &p, n);
    }
}

static void gray(const spool_raster *r)
{
    size_t all = count(r);
    run p = {0};
    for (size_t i = 0; i < all; i += RUN) {
        int n = length(all - i);
        planes(&p, r->pixels + 3 * i, n);
        for (int k = 0; k < RUN; k++)
            p.r[k] = p.g[k] = p.b[k] = luma_of(p.r[k], p.g[k], p.b[k]);
        pixels(r->pixels + 3 * i, &p, n);
    }
}

/* The fraction of a number from -1 up. */
static inline float fraction(float x)
{
    return x - (float)((int32_t)(x + 1) - 1);
}

/*
 * A channel of the color whose hue is given in sectors, from 0 to 6. From the sector 6 - from on, the channel falls by
 * range within a sector, stays for two, and rises again.
 */
static inline float channel(float most, float range, float hue, float from)
{
    float k = hue + from;
    k = k >= 6 ? k - 6 : k;
    float part = k < 4 - k ? k : 4 - k;
    part = part < 0 ? 0 : part;
    part = part > 1 ? 1 : part;
    return most - range * part;
}

/* Adds hue to the hue of HSV, whose value and range stay. */
static void turn(const spool_raster *r, float hue)
{
    const float one = 1.0f / 255.0f, full = 255.0f + 1.0f - 1e-3f;
    size_t all = count(r);
    run p = {0};
    for (size_t i = 0; i < all; i += RUN) {
        int n = length(all - i);
        planes(&p, r->pixels + 3 * i, n);
        for (int k = 0; k < RUN; k++) {
            float red = p.r[k] * one, green = p.g[k] * one, blue = p.b[k] * one;
            float most = red > green ? red : green, least = red > green ? green : red;
            most = most > blue ? most : blue;
            least = least < blue ? least : blue;
            float range = most - least, by = range == 0 ? 1 : range;
            float rc = (most - red) / by, gc = (most - green) / by, bc = (most - blue) / by;
            float hr = bc - gc, hg = (2 + rc) - bc, hb = (4 + gc) - rc;
            float h = most == green ? hg : hb;
            h = most == red ? hr : h;
            h = fraction(h * (1.0f / 6.0f) + 1);
            h = fraction(h + hue) * 6;
            p.r[k] = channel(most, range, h, 5) * full;
            p.g[k] = channel(most, range, h, 3) * full;
            p.b[k] = channel(most, range, h, 1) * full;
        }
        pixels(r->pixels + 3 * i, &p, n);
    }
}

/* Blends with the mean of 3x3 pixels, of which the center counts five times. The border stays. */
static void sharpen(const spool_raster *r, float factor)
{
    if (r->width < 3 || r->height < 3)
        return;
    const size_t row = row_bytes(r);
    const int32_t c = r->channels, n = r->width * c;
    const float rest = (float)(1.0 - (double)factor);
    uint8_t *before = r->scratch, *here = before + row;
    uint16_t *column = (uint16_t *)(void *)(r->scratch + (2 * row + 63) / 64 * 64);
    memcpy(before, r->pixels, row);
    for (int32_t y = 1; y < r->height - 1; y++) {
        uint8_t *out = r->pixels + (size_t)y * row;
        const uint8_t *after = out + row;
        memcpy(here, out, row);
        for (int32_t i = 0; i < n; i++)
            column[i] = (uint16_t)(before[i] + here[i] + after[i]);
        for (int32_t i = c; i < n - c; i++) {
            int32_t sum = column[i - c] + column[i] + column[i + c] + 4 * here[i];
            float mean = (float)((2 * sum + 13) / 26), x = here[i];
            out[i] = (uint8_t)(int32_t)clamped(x + (mean - x) * rest);
        }
        uint8_t *last = before;
        before = here;
        here = last;
    }
}

/* The pixel at i of a side that is mirrored at its first and last pixel, as often as necessary. */
static int32_t reflected(int32_t i, int32_t side)
{
    if (side == 1)
        return 0;
    int32_t period = 2 * (side - 1);
    i %= period;
    if (i < 0)
        i += period;
    return i < side ? i : period - i;
}

static void blur_across(float *to, float *padded, const uint8_t *from, const spool_raster *r, const float *taps,
                        int32_t n)
{
    const int32_t c = r->channels, reach = n / 2, w = r->width;
    for (int32_t i = 0; i < w * c; i++)
        padded[reach * c + i] = from[i];
    for (int32_t x = 1; x <= reach; x++) {
        for (int32_t k = 0; k < c; k++) {
            padded[(reach - x) * c + k] = from[reflected(-x, w) * c + k];
            padded[(reach + w - 1 + x) * c + k] = from[reflected(w - 1 + x, w) * c + k];
        }
    }
    for (int32_t i = 0; i < w * c; i++)
        to[i] = padded[i] * taps[0];
    for (int32_t k = 1; k < n; k++) {
        const float *at = padded + k * c;
        for (int32_t i = 0; i < w * c; i++)
            to[i] += at[i] * taps[k];
    }
}

static void blur(const spool_raster *r, const float *taps, int32_t n)
{
    const size_t row = row_bytes(r);
    const int32_t reach = n / 2, h = r->height, wide = (int32_t)row;
    float *ring = (float *)(void *)r->scratch, *sum = ring + (size_t)n * row, *padded = sum + row;
    int32_t next = 0; /* the first row that is not in the ring yet */
    for (int32_t y = 0; y < h; y++) {
        for (; next <= y + reach && next < h; next++)
            blur_across(ring + (size_t)(next % n) * row, padded, r->pixels + (size_t)next * row, r, taps, n);
        for (int32_t k = 0; k < n; k++) {
            const float *from = ring + (size_t)(reflected(y - reach + k, h) % n) * row;
            float tap = taps[k];
            if (k == 0) {
                for (int32_t i = 0; i < wide; i++)
                    sum[i] = from[i] * tap;
            } else {
                for (int32_t i = 0; i < wide; i++)
                    sum[i] += from[i] * tap;
            }
        }
        uint8_t *out = r->pixels + (size_t)y * row;
        for (int32_t i = 0; i < wide; i++) {
            /* Adding and subtracting 1.5 * 2^23 rounds to the nearest even integer. */
            float x = (sum[i] + 12582912.0f) - 12582912.0f;
            out[i] = (uint8_t)(int32_t)clamped(x);
        }
    }
}

/*
 * Takes each pixel from the nearest one at (x, y) * the matrix, in coordinates from -1 to 1 at the edges: PyTorch's
 * grid_sample. Pixels from outside get the color.
 */
static void warp(const spool_raster *r, const float across[3], const float down[3], const uint8_t *color)
{
    const size_t row = row_bytes(r);
    const int32_t w = r->width, h = r->height, c = r->channels;
    const float half_width = (float)w / 2, half_height = (float)h / 2;
    const uint8_t *from = r->scratch;
    memcpy(r->scratch, r->pixels, row * (size_t)h);
    for (int32_t y = 0; y < h; y++) {
        uint8_t *out = r->pixels + (size_t)y * row;
        const float v = (float)(2 * y - (h - 1)) * 0.5f;
        const float left = v * across[1], top = v * down[1];
        for (int32_t x = 0; x < w; x += RUN) {
            int32_t column[RUN], line[RUN];
            for (int k = 0; k < RUN; k++) {
                float u = (float)(2 * (x + k) - (w - 1)) * 0.5f;
                float gx = (u * across[0] + left) + across[2], gy = (u * down[0] + top) + down[2];
                gx = (gx + 1) * half_width - 0.5f;
                gy = (gy + 1) * half_height - 0.5f;
                gx = gx < -2 ? -2 : gx > 1e6f ? 1e6f : gx;
                gy = gy < -2 ? -2 : gy > 1e6f ? 1e6f : gy;
                column[k] = (int32_t)((gx + 12582912.0f) - 12582912.0f);
                line[k] = (int32_t)((gy + 12582912.0f) - 12582912.0f);
            }
            int n = length((size_t)(w - x));
            for (int k = 0; k < n; k++) {
                const uint8_t *pixel = color;
                if (column[k] >= 0 && column[k] < w && line[k] >= 0 && line[k] < h)
                    pixel = from + (size_t)line[k] * row + (size_t)column[k] * (size_t)c;
                uint8_t *to = out + (size_t)(x + k) * (size_t)c;
                to[0] = pixel[0];
                if (c == 3) {
                    to[1] = pixel[1];
                    to[2] = pixel[2];
                }
            }
        }
    }
}

const spool_ops OPS = {NAME, luma, histogram, lookup, saturate, gray, turn, sharpen, blur, warp};
