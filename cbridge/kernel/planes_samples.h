/*
 * The kernels for 16-bit samples, and those that read samples as stored, in plain C that compilers vectorize: one
 * source for every instruction set, including the scalar one.
 */
#include "kernels.h" /* spool_word */
#include "planes_kernels.h"
#include "planes_video.h"

static inline uint16_t clamped_word(int32_t sum)
{
    sum >>= SPOOL_VIDEO_WORDS;
    return sum < 0 ? 0 : sum > 65535 ? 65535 : (uint16_t)sum;
}

static void convert_words(const uint8_t *y, const uint8_t *u, const uint8_t *v, size_t n, const spool_color *color,
                          uint8_t *rgb)
{
    const spool_word *lumas = (const spool_word *)y, *us = (const spool_word *)u, *vs = (const spool_word *)v;
    spool_word *out = (spool_word *)rgb;
    const spool_color c = *color;

    for (size_t i = 0; i < n; i++) {
        const int32_t luma = lumas[i] * c.luma + c.bias;
        const int32_t cb = us[i] - 32768, cr = vs[i] - 32768;
        out[3 * i] = clamped_word(luma + cr * c.v_to_r);
        out[3 * i + 1] = clamped_word(luma + cb * c.u_to_g + cr * c.v_to_g);
        out[3 * i + 2] = clamped_word(luma + cb * c.u_to_b);
    }
}

static void expand_words(const uint8_t *y, size_t n, const spool_color *color, uint8_t *gray)
{
    const spool_word *lumas = (const spool_word *)y;
    spool_word *out = (spool_word *)gray;
    for (size_t i = 0; i < n; i++)
        out[i] = clamped_word(lumas[i] * color->luma + color->bias);
}

/* Rounds without exceeding 16 bits in intermediate values. */
static inline uint8_t reduced(uint16_t word, int shift)
{
    const uint16_t twice = (uint16_t)(word >> (shift - 1)), value = (uint16_t)((twice >> 1) + (twice & 1));
    return value > 255 ? 255 : (uint8_t)value;
}

static void split(const uint8_t *in, size_t n, int shift, uint8_t *first, uint8_t *second)
{
    (void)shift;
    for (size_t i = 0; i < n; i++) {
        first[i] = in[2 * i];
        second[i] = in[2 * i + 1];
    }
}

static void reduce(const uint8_t *in, size_t n, int shift, uint8_t *out)
{
    const spool_word *words = (const spool_word *)in;
    for (size_t i = 0; i < n; i++)
        out[i] = reduced(words[i], shift);
}

static void split_reduced(const uint8_t *in, size_t n, int shift, uint8_t *first, uint8_t *second)
{
    const spool_word *words = (const spool_word *)in;
    for (size_t i = 0; i < n; i++) {
        first[i] = reduced(words[2 * i], shift);
        second[i] = reduced(words[2 * i + 1], shift);
    }
}

static void raise(const uint8_t *in, size_t n, int shift, uint8_t *out)
{
    const spool_word *words = (const spool_word *)in;
    spool_word *to = (spool_word *)out;
    for (size_t i = 0; i < n; i++)
        to[i] = (uint16_t)(words[i] << shift);
}

static void split_raised(const uint8_t *in, size_t n, int shift, uint8_t *first, uint8_t *second)
{
    const spool_word *words = (const spool_word *)in;
    spool_word *to = (spool_word *)first, *beside = (spool_word *)second;
    for (size_t i = 0; i < n; i++) {
        to[i] = (uint16_t)(words[2 * i] << shift);
        beside[i] = (uint16_t)(words[2 * i + 1] << shift);
    }
}

#define SAMPLE_KERNELS expand_words, split, reduce, split_reduced, raise, split_raised
