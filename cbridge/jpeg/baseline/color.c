/* Upsampling and color conversion for any machine. */
#include "color.h"

static void add(const uint8_t *near, const uint8_t *far, size_t n, int16_t *sums)
{
    for (size_t i = 0; i < n; i++)
        sums[i] = 3 * near[i] + far[i] - SUM_BIAS;
    sums[-1] = sums[0];
    sums[n] = sums[n - 1];
}

static uint8_t clamped(int v)
{
    return v < 0 ? 0 : v > 255 ? 255 : v;
}

/* The factors times 2^16, rounded. Right shifts round down. */
enum { HALF = 1 << 15, CR_TO_R = 91881, CB_TO_B = 116130, CR_TO_G = 46802, CB_TO_G = 22554 };

/* Converts a pixel, whose chroma is reduced by 128. */
static void convert_pixel(int y, int b, int r, uint8_t rgb[3])
{
    rgb[0] = clamped(y + ((CR_TO_R * r + HALF) >> 16));
    rgb[1] = clamped(y + ((-CB_TO_G * b - CR_TO_G * r + HALF) >> 16));
    rgb[2] = clamped(y + ((CB_TO_B * b + HALF) >> 16));
}

static void convert_wide(const uint8_t *y, const int16_t *cb, const int16_t *cr, spool_baseline_rounding rounding,
                         size_t n, uint8_t *rgb)
{
    for (size_t i = 0; i < n; i++) {
        const ptrdiff_t here = i / 2, beside = i % 2 ? here + 1 : here - 1;
        const int bias = i % 2 ? rounding.odd : rounding.even;
        convert_pixel(y[i], (3 * cb[here] + cb[beside] + bias) >> 4, (3 * cr[here] + cr[beside] + bias) >> 4,
                      rgb + 3 * i);
    }
}

static void convert(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, size_t n, uint8_t *rgb)
{
    for (size_t i = 0; i < n; i++)
        convert_pixel(y[i], cb[i] - 128, cr[i] - 128, rgb + 3 * i);
}

const spool_baseline_color spool_baseline_color_scalar = {add, convert_wide, convert};

/* Memory of a row: padding before the sums, the sums and the slack after them, or upsampled bytes. */
enum { BEFORE = 64 };

size_t spool_baseline_upsampled_bytes(size_t width)
{
    return BEFORE + sizeof(int16_t) * ((width + 1) / 2 + WIDE_SLACK);
}

const void *spool_baseline_upsample(const spool_baseline_color *color, spool_baseline_upsampling how,
                                    const uint8_t *near, const uint8_t *far, int below, size_t n, uint8_t *memory)
{
    int16_t *sums = (int16_t *)(memory + BEFORE);
    switch (how) {
    case WIDE:
        color->add(near, near, n, sums);
        return sums;
    case BOTH:
        color->add(near, far, n, sums);
        return sums;
    case TALL:
        for (size_t i = 0; i < n; i++)
            memory[i] = (3 * near[i] + far[i] + (below ? 2 : 1)) >> 2;
        return memory;
    case PLAIN:
        for (size_t i = 0; i < n; i++)
            memory[2 * i] = memory[2 * i + 1] = near[i];
        return memory;
    case SAME:
        break;
    }
    return near;
}

void spool_baseline_convert(const spool_baseline_color *color, spool_baseline_upsampling how, const uint8_t *y,
                            const void *cb, const void *cr, size_t n, uint8_t *rgb)
{
    static const spool_baseline_rounding wide = {4, 8}, both = {8, 7};
    if (how == WIDE || how == BOTH)
        color->convert_wide(y, cb, cr, how == WIDE ? wide : both, n, rgb);
    else
        color->convert(y, cb, cr, n, rgb);
}
