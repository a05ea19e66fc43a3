#include "samples.h"

#include <math.h>
#include <string.h>

/* The curve of sRGB (IEC 61966-2-1) for linear light. */
static double encoded(double light)
{
    return light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
}

/* Converts a float sample: 0 is black and 1 white, values beyond are clipped; NaN is black. */
static inline uint32_t quantized(double value, int light, uint32_t white)
{
    if (!(value > 0))
        return 0;
    if (value >= 1)
        return white;
    return (uint32_t)((light ? encoded(value) : value) * white + 0.5);
}

static inline void store(void *out, int bits, size_t i, uint32_t value)
{
    if (bits == 8)
        ((uint8_t *)out)[i] = (uint8_t)value;
    else
        ((uint16_t *)out)[i] = (uint16_t)value;
}

void spool_vips_narrow(const spool_vips_pixels *p, int bits, const void *in, void *out, size_t n)
{
    const uint32_t white = bits == 8 ? 255 : 65535;
    const int opacity = p->alpha ? p->bands - 1 : p->bands;
    switch (p->sample) {
    case VIPS_FORMAT_UCHAR:
        for (size_t i = 0; i < n; i++)
            store(out, bits, i, ((const uint8_t *)in)[i] * (white / 255));
        break;
    case VIPS_FORMAT_USHORT:
        for (size_t i = 0; i < n; i++)
            store(out, bits, i, ((const uint16_t *)in)[i] >> (16 - bits));
        break;
    default:
        for (size_t i = 0; i < n; i++)
            store(out, bits, i, quantized(((const float *)in)[i], p->light && (int)(i % p->bands) != opacity, white));
    }
}

void spool_vips_divide(const spool_vips_pixels *p, uint8_t *samples, size_t n)
{
    const int colors = p->color == SPOOL_VIPS_GRAY ? 1 : 3;
    for (size_t i = 0; i < n; i++, samples += p->bands) {
        const uint32_t opacity = samples[colors];
        for (int k = 0; k < colors; k++) {
            const uint32_t color = opacity > 0 ? samples[k] * 255u / opacity : 0;
            samples[k] = color < 255 ? color : 255;
        }
    }
}

/* Selects samples, repeats gray, and sets alpha to opaque if there is none. */
static inline void pick(const spool_vips_pixels *p, const uint8_t *in, uint8_t *out, int width, const int channels,
                        const int bytes)
{
    const int gray = p->color == SPOOL_VIPS_GRAY;
    const int g = gray ? 0 : bytes, b = 2 * g, last = b + bytes; /* alpha, or black ink */
    const int stored = p->alpha || p->color == SPOOL_VIPS_CMYK;
    for (int x = 0; x < width; x++, in += p->bands * bytes, out += channels * bytes) {
        memcpy(out, in, bytes);
        if (channels >= 3) {
            memcpy(out + bytes, in + g, bytes);
            memcpy(out + 2 * bytes, in + b, bytes);
        }
        if (channels == 4 && stored)
            memcpy(out + 3 * bytes, in + last, bytes);
        else if (channels == 4)
            memset(out + 3 * bytes, 255, bytes);
    }
}

/* a * b / white, rounded to nearest. */
static inline uint32_t product(uint32_t a, uint32_t b, int bits)
{
    const uint32_t t = a * b + (1u << (bits - 1));
    return ((t >> bits) + t) >> bits;
}

/* The simple formula, rounded as in Pillow's convert("RGB"): r = (white - k) - c * (white - k) / white. */
static inline void mix(const spool_vips_pixels *p, const void *in, void *out, int width, int channels, const int bits)
{
    const uint32_t white = (1u << bits) - 1;
    for (size_t x = 0; x < (size_t)width; x++) {
        uint32_t ink[4];
        for (int c = 0; c < 4; c++)
            ink[c] = bits == 8 ? ((const uint8_t *)in)[x * p->bands + c] : ((const uint16_t *)in)[x * p->bands + c];
        const uint32_t rest = white - ink[3];
        for (int c = 0; c < 3; c++)
            store(out, bits, x * channels + c, rest - product(ink[c], rest, bits));
        if (channels == 4)
            store(out, bits, x * 4 + 3, white);
    }
}

static void pick_of(const spool_vips_pixels *p, const void *in, void *out, int width, int channels, const int bytes)
{
    switch (channels) { /* loops of constant length */
    case 1:
        pick(p, in, out, width, 1, bytes);
        break;
    case 3:
        pick(p, in, out, width, 3, bytes);
        break;
    default:
        pick(p, in, out, width, 4, bytes);
    }
}

void spool_vips_arrange(const spool_vips_pixels *p, int bits, int channels, const void *in, void *out, int width)
{
    if (p->mixed)
        bits == 8 ? mix(p, in, out, width, channels, 8) : mix(p, in, out, width, channels, 16);
    else
        bits == 8 ? pick_of(p, in, out, width, channels, 1) : pick_of(p, in, out, width, channels, 2);
}
