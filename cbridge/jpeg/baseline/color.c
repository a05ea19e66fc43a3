/* Upsampling and conversion for any machine. */
#include "color.h"

void spool_baseline_wide_part(const uint8_t *near, size_t from, size_t to, size_t n, uint8_t *out)
{
    for (size_t i = from; i < to; i++) {
        const int here = 3 * near[i];
        out[2 * i] = (here + near[i > 0 ? i - 1 : i] + 1) >> 2;
        out[2 * i + 1] = (here + near[i + 1 < n ? i + 1 : i] + 2) >> 2;
    }
}

/* Four times a sample of the row between near and far. */
static int between(const uint8_t *near, const uint8_t *far, size_t i)
{
    return 3 * near[i] + far[i];
}

void spool_baseline_both_part(const uint8_t *near, const uint8_t *far, size_t from, size_t to, size_t n, uint8_t *out)
{
    for (size_t i = from; i < to; i++) {
        const int here = 3 * between(near, far, i);
        out[2 * i] = (here + between(near, far, i > 0 ? i - 1 : i) + 8) >> 4;
        out[2 * i + 1] = (here + between(near, far, i + 1 < n ? i + 1 : i) + 7) >> 4;
    }
}

static void wide(const uint8_t *near, const uint8_t *far, int below, size_t n, uint8_t *out)
{
    (void)far, (void)below;
    spool_baseline_wide_part(near, 0, n, n, out);
}

static void both(const uint8_t *near, const uint8_t *far, int below, size_t n, uint8_t *out)
{
    (void)below;
    spool_baseline_both_part(near, far, 0, n, n, out);
}

static void tall(const uint8_t *near, const uint8_t *far, int below, size_t n, uint8_t *out)
{
    const int bias = below ? 2 : 1;
    for (size_t i = 0; i < n; i++)
        out[i] = (3 * near[i] + far[i] + bias) >> 2;
}

static void plain(const uint8_t *near, const uint8_t *far, int below, size_t n, uint8_t *out)
{
    (void)far, (void)below;
    for (size_t i = 0; i < n; i++)
        out[2 * i] = out[2 * i + 1] = near[i];
}

static uint8_t clamped(int v)
{
    return v < 0 ? 0 : v > 255 ? 255 : v;
}

/* The factors times 2^16, rounded; shifts round down. */
enum { HALF = 1 << 15, CR_TO_R = 91881, CB_TO_B = 116130, CR_TO_G = 46802, CB_TO_G = 22554 };

static void convert(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, size_t n, uint8_t *rgb)
{
    for (size_t i = 0; i < n; i++, rgb += 3) {
        const int b = cb[i] - 128, r = cr[i] - 128;
        rgb[0] = clamped(y[i] + ((CR_TO_R * r + HALF) >> 16));
        rgb[1] = clamped(y[i] + ((-CB_TO_G * b - CR_TO_G * r + HALF) >> 16));
        rgb[2] = clamped(y[i] + ((CB_TO_B * b + HALF) >> 16));
    }
}

const spool_baseline_color spool_baseline_color_scalar = {wide, tall, both, plain, convert};
