#include "expand.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Expands samples of up to 8 bits with a table. */
INLINE void by_table(const spool_png_expander *expander, const uint8_t *in, uint8_t *out, size_t n, int channels)
{
    const int depth = expander->depth, mask = (1 << depth) - 1;
    for (size_t i = 0; i < n; i++) {
        const size_t bit = i * depth;
        const int sample = in[bit / 8] >> (8 - depth - bit % 8) & mask;
        memcpy(out + i * channels, expander->pixel[sample], channels);
    }
}

/* The same for samples of one byte. It stores 4 bytes in one instruction, which 3 bytes would not allow. */
INLINE void by_table8(const spool_png_expander *expander, const uint8_t *in, uint8_t *out, size_t n, int channels)
{
    if (n == 0)
        return;
    for (size_t i = 0; i < n - 1; i++)
        memcpy(out + i * channels, expander->pixel[in[i]], 4);
    memcpy(out + (n - 1) * channels, expander->pixel[in[n - 1]], channels);
}

static void table1(const spool_png_expander *expander, const uint8_t *in, uint8_t *out, size_t n)
{
    by_table(expander, in, out, n, 1);
}

static void table3(const spool_png_expander *expander, const uint8_t *in, uint8_t *out, size_t n)
{
    if (expander->depth == 8)
        by_table8(expander, in, out, n, 3);
    else
        by_table(expander, in, out, n, 3);
}

static void table4(const spool_png_expander *expander, const uint8_t *in, uint8_t *out, size_t n)
{
    if (expander->depth == 8)
        by_table8(expander, in, out, n, 4);
    else
        by_table(expander, in, out, n, 4);
}

/* Loads a sample: one byte, or two in big-endian order. */
INLINE uint16_t load(const uint8_t *p, int depth)
{
    return depth == 8 ? p[0] : (uint16_t)(p[0] << 8 | p[1]);
}

INLINE void store(uint8_t *out, int channel, uint16_t sample, int depth, int bits)
{
    if (bits == 8)
        out[channel] = depth == 8 ? sample : sample >> 8;
    else
        memcpy(out + 2 * channel, &sample, 2);
}

/* 16-bit samples that stay in their order: a loop without pixels, which compilers vectorize. */
INLINE void in_order16(const uint8_t *in, uint8_t *out, size_t samples, int bits)
{
    for (size_t i = 0; i < samples; i++) {
        const uint16_t sample = load(in + 2 * i, 16);
        if (bits == 8)
            out[i] = sample >> 8;
        else
            memcpy(out + 2 * i, &sample, 2);
    }
}

/* Expands samples of 8 or 16 bits; all arguments except n are constants at the call. */
INLINE void samples(const spool_png_expander *expander, const uint8_t *in, uint8_t *out, size_t n, int color, int depth,
                    int channels, int bits)
{
    const int stored = spool_png_pixel_bits(color, 1), alpha = stored % 2 == 0, colors = stored - alpha;
    const int keyed = channels == 4 && !alpha && expander->keyed;
    const uint16_t opaque = depth == 8 ? 0xFF : 0xFFFF;
    if (depth == 16 && stored == channels) {
        in_order16(in, out, n * channels, bits);
        return;
    }
    for (size_t i = 0; i < n; i++, in += stored * depth / 8, out += channels * bits / 8) {
        uint16_t sample[4] = {0};
        for (int k = 0; k < stored; k++)
            sample[k] = load(in + k * depth / 8, depth);
        uint16_t opacity = alpha ? sample[colors] : opaque;
        if (keyed) {
            int same = 1;
            for (int k = 0; k < colors; k++)
                same &= sample[k] == expander->key[k];
            opacity = same ? 0 : opaque;
        }
        for (int k = 0; k < (channels == 4 ? 3 : channels); k++)
            store(out, k, sample[colors == 3 ? k : 0], depth, bits);
        if (channels == 4)
            store(out, 3, opacity, depth, bits);
    }
}

#define SAMPLES(name, color, depth, channels, bits)                                                 \
    static void name(const spool_png_expander *expander, const uint8_t *in, uint8_t *out, size_t n) \
    {                                                                                               \
        samples(expander, in, out, n, color, depth, channels, bits);                                \
    }

SAMPLES(gray16_1, SPOOL_PNG_GRAY, 16, 1, 8)
SAMPLES(gray16_3, SPOOL_PNG_GRAY, 16, 3, 8)
SAMPLES(gray16_4, SPOOL_PNG_GRAY, 16, 4, 8)
SAMPLES(gray16_1w, SPOOL_PNG_GRAY, 16, 1, 16)
SAMPLES(gray16_3w, SPOOL_PNG_GRAY, 16, 3, 16)
SAMPLES(gray16_4w, SPOOL_PNG_GRAY, 16, 4, 16)
SAMPLES(rgb8_4, SPOOL_PNG_RGB, 8, 4, 8)
SAMPLES(rgb16_3, SPOOL_PNG_RGB, 16, 3, 8)
SAMPLES(rgb16_4, SPOOL_PNG_RGB, 16, 4, 8)
SAMPLES(rgb16_3w, SPOOL_PNG_RGB, 16, 3, 16)
SAMPLES(rgb16_4w, SPOOL_PNG_RGB, 16, 4, 16)
SAMPLES(ga8_1, SPOOL_PNG_GRAY_ALPHA, 8, 1, 8)
SAMPLES(ga8_3, SPOOL_PNG_GRAY_ALPHA, 8, 3, 8)
SAMPLES(ga8_4, SPOOL_PNG_GRAY_ALPHA, 8, 4, 8)
SAMPLES(ga16_1, SPOOL_PNG_GRAY_ALPHA, 16, 1, 8)
SAMPLES(ga16_3, SPOOL_PNG_GRAY_ALPHA, 16, 3, 8)
SAMPLES(ga16_4, SPOOL_PNG_GRAY_ALPHA, 16, 4, 8)
SAMPLES(ga16_1w, SPOOL_PNG_GRAY_ALPHA, 16, 1, 16)
SAMPLES(ga16_3w, SPOOL_PNG_GRAY_ALPHA, 16, 3, 16)
SAMPLES(ga16_4w, SPOOL_PNG_GRAY_ALPHA, 16, 4, 16)
SAMPLES(rgba8_1, SPOOL_PNG_RGBA, 8, 1, 8)
SAMPLES(rgba8_3, SPOOL_PNG_RGBA, 8, 3, 8)
SAMPLES(rgba16_3, SPOOL_PNG_RGBA, 16, 3, 8)
SAMPLES(rgba16_4, SPOOL_PNG_RGBA, 16, 4, 8)
SAMPLES(rgba16_3w, SPOOL_PNG_RGBA, 16, 3, 16)
SAMPLES(rgba16_4w, SPOOL_PNG_RGBA, 16, 4, 16)

typedef void row_function(const spool_png_expander *expander, const uint8_t *in, uint8_t *out, size_t n);

/* By color type; then 8 bits, 16 to 8 bits and 16 bits; then 1, 3 and 4 channels. NULL: as stored, or impossible. */
static row_function *const rows[][3][3] = {
    [SPOOL_PNG_GRAY] = {{table1, table3, table4}, {gray16_1, gray16_3, gray16_4}, {gray16_1w, gray16_3w, gray16_4w}},
    [SPOOL_PNG_RGB] = {{NULL, NULL, rgb8_4}, {NULL, rgb16_3, rgb16_4}, {NULL, rgb16_3w, rgb16_4w}},
    [SPOOL_PNG_PALETTE] = {{NULL, table3, table4}},
    [SPOOL_PNG_GRAY_ALPHA] = {{ga8_1, ga8_3, ga8_4}, {ga16_1, ga16_3, ga16_4}, {ga16_1w, ga16_3w, ga16_4w}},
    [SPOOL_PNG_RGBA] = {{NULL, rgba8_3, NULL}, {NULL, rgba16_3, rgba16_4}, {NULL, rgba16_3w, rgba16_4w}},
};

/* The colors of a palette; indices beyond it are black, as in libpng. */
static void init_palette(spool_png_expander *expander, const spool_png_image *image)
{
    for (int i = 0; i < 256; i++) {
        uint8_t *pixel = expander->pixel[i];
        memset(pixel, 0, 3);
        if (i < image->colors)
            memcpy(pixel, image->palette + 3 * i, 3);
        pixel[3] = i < image->opacities ? image->transparency[i] : 0xFF;
    }
}

static void init_gray(spool_png_expander *expander)
{
    const int most = (1 << expander->depth) - 1;
    for (int i = 0; i <= most; i++) {
        uint8_t *pixel = expander->pixel[i];
        memset(pixel, i * 255 / most, 3);
        pixel[3] = expander->keyed && i == expander->key[0] ? 0 : 0xFF;
    }
}

static int is_gray(const spool_png_image *image)
{
    return image->color == SPOOL_PNG_GRAY || image->color == SPOOL_PNG_GRAY_ALPHA;
}

int spool_png_expander_init(spool_png_expander *expander, const spool_png_image *image, int channels, int bits)
{
    const int color = image->color, depth = image->depth;
    const int gray = is_gray(image);
    if ((channels == 1 && !gray) || (bits == 16 && depth != 16))
        return 0;
    expander->channels = channels;
    expander->depth = depth;
    expander->pixel_bytes = channels * bits / 8;
    expander->keyed = color != SPOOL_PNG_PALETTE && image->transparency != NULL;
    for (int k = 0; expander->keyed && k < image->opacities / 2; k++) /* bits above the sample's depth are ignored */
        expander->key[k] = spool_png_u16(image->transparency + 2 * k) & ((1 << depth) - 1);
    if (color == SPOOL_PNG_PALETTE)
        init_palette(expander, image);
    else if (gray && depth <= 8)
        init_gray(expander);
    expander->row = rows[color][(depth == 16) + (bits == 16)][channels == 1 ? 0 : channels - 2];
    if (color == SPOOL_PNG_GRAY && depth == 8 && channels == 1)
        expander->row = NULL;
    return 1;
}

int spool_png_expander_init_canvas(spool_png_expander *expander, const spool_png_image *image, int stored, int channels)
{
    if (channels == 1 && !is_gray(image))
        return 0;
    const spool_png_image canvas = {
        .color = stored == 4   ? SPOOL_PNG_RGBA
                 : stored == 3 ? SPOOL_PNG_RGB
                               : SPOOL_PNG_GRAY,
        .depth = 8,
    };
    const int gray_of_four = stored == 4 && channels == 1;
    spool_png_expander_init(expander, &canvas, gray_of_four ? 3 : channels, 8);
    if (gray_of_four) {
        expander->channels = expander->pixel_bytes = 1;
        expander->row = rgba8_1;
    }
    return 1;
}
