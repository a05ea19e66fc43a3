/* Stores pixels: converts samples to the output's elements, at their place in the output. */
#include <string.h>

#include "engine.h"

/* A mapping that takes byte k of a pixel from channel from[k]. */
static void map_init(spool_mapping *map, int in, int out, const uint8_t *from)
{
    *map = (spool_mapping){.in = in, .out = out};
    map->step = 16 / (in > out ? in : out);
    memset(map->shuffle, 0x80, sizeof map->shuffle);
    for (int k = 0; k < out; k++) {
        map->from[k] = from[k];
        for (int i = 0; i < map->step; i++)
            if (from[k] == SPOOL_OPAQUE)
                map->fill[i * out + k] = 255;
            else
                map->shuffle[i * out + k] = i * in + from[k];
    }
}

/* The mappings from pixels of `in` channels to the output, whose channel k is channel from[k] of the pixel. */
static void output_maps(const spool_plan *p, spool_mapping map[4], int in, const uint8_t from[4])
{
    if (!p->planar)
        map_init(&map[0], in, p->out_channels, from);
    else
        for (int k = 0; k < p->out_channels; k++)
            map_init(&map[k], in, 1, &from[k]);
}

/* IEEE 754 binary16 of f, rounded to nearest, ties to even. */
static uint16_t half(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) /* not a number */
        return sign | 0x7e00;
    if (magnitude >= 0x47800000) /* 2^16; values just below round up to it */
        return sign | 0x7c00;
    if (magnitude < 0x38800000) { /* subnormal: a multiple of 2^-24, the last bit of floats around 0.5 */
        float sum;
        memcpy(&sum, &magnitude, 4);
        sum += 0.5f;
        memcpy(&bits, &sum, 4);
        return sign | (bits - 0x3f000000);
    }
    const uint32_t rebiased = magnitude - (112u << 23);
    return sign | (rebiased + 0xfff + (rebiased >> 13 & 1)) >> 13;
}

/* The upper half of f, rounded to nearest, ties to even. */
static uint16_t brain(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    if ((bits & 0x7fffffff) > 0x7f800000) /* not a number */
        return (bits >> 16 & 0x8000) | 0x7fc0;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/* The element of 16 bits for a float. */
static uint16_t narrow(int32_t type, float f)
{
    return type == SPOOL_BFLOAT16 ? brain(f) : half(f);
}

/* The element for every byte value: (x / 255 - mean) / std in float arithmetic, or the full 16-bit range. */
static void table_init(spool_engine *e)
{
    const spool_plan *p = &e->plan;
    for (int k = 0; k < p->out_channels; k++)
        for (int x = 0; x < 256; x++) {
            float value = ((float)x / 255.0f - p->mean[k]) / p->std[k];
            if (p->type == SPOOL_FLOAT32)
                ((float *)e->table)[k * 256 + x] = value;
            else
                ((uint16_t *)e->table)[k * 256 + x] = p->type == SPOOL_UINT16 ? x * 257 : narrow(p->type, value);
        }
}

/* Converts n pixels by the tables, one for each output channel. */
static inline __attribute__((always_inline)) void lookup_pixels(const spool_mapping *map, const int channels,
                                                                const int elem, const uint8_t *table, const uint8_t *in,
                                                                uint8_t *out, size_t n)
{
    static const uint8_t opaque = 255;
    const uint8_t *from[4];
    size_t step[4];

    for (int c = 0; c < channels; c++) {
        from[c] = map->from[c] == SPOOL_OPAQUE ? &opaque : in + map->from[c];
        step[c] = map->from[c] == SPOOL_OPAQUE ? 0 : map->in;
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < n; i++, out += channels * elem)
        for (int c = 0; c < channels; c++, from[c - 1] += step[c - 1])
            memcpy(out + c * elem, table + ((size_t)c * 256 + *from[c]) * elem, elem);
}

static void lookup(const spool_mapping *map, int elem, const uint8_t *table, const uint8_t *in, uint8_t *out, size_t n)
{
    switch (map->out * 10 + elem) { /* loops of constant length */
    case 12:
        lookup_pixels(map, 1, 2, table, in, out, n);
        break;
    case 14:
        lookup_pixels(map, 1, 4, table, in, out, n);
        break;
    case 32:
        lookup_pixels(map, 3, 2, table, in, out, n);
        break;
    case 34:
        lookup_pixels(map, 3, 4, table, in, out, n);
        break;
    case 42:
        lookup_pixels(map, 4, 2, table, in, out, n);
        break;
    case 44:
        lookup_pixels(map, 4, 4, table, in, out, n);
        break;
    }
}

/* Converts n 16-bit samples of output channel k to floats. `in` and `out` are the samples of a pixel. */
static void float_words(const spool_plan *p, int k, const spool_word *from, int in, uint8_t *to, int out, size_t n)
{
    const float mean = p->mean[k], std = p->std[k];
    for (size_t i = 0; i < n; i++, from += in) {
        const float value = ((float)*from / 65535.0f - mean) / std;
        if (p->type == SPOOL_FLOAT32) {
            memcpy(to + i * out * sizeof(float), &value, sizeof value);
        } else {
            const uint16_t bits = narrow(p->type, value);
            memcpy(to + i * out * sizeof bits, &bits, sizeof bits);
        }
    }
}

static void store_words(const spool_engine *e, const spool_mapping *map, int plane, const uint8_t *pixels, uint8_t *out,
                        size_t n)
{
    static const spool_word opaque = 65535;

    if (e->plan.type == SPOOL_UINT16) {
        e->kernels->words.remap(map, pixels, out, n);
        return;
    }
    for (int c = 0; c < map->out; c++) {
        const int constant = map->from[c] == SPOOL_OPAQUE;
        float_words(&e->plan, plane + c, constant ? &opaque : (const spool_word *)pixels + map->from[c],
                    constant ? 0 : map->in, out + c * e->elem, map->out, n);
    }
}

static void store(const spool_engine *e, const spool_mapping *map, int words, const uint8_t *pixels, int32_t x,
                  int32_t y, int32_t n)
{
    const spool_plan *p = &e->plan;
    const int planes = p->planar ? p->out_channels : 1;

    for (int k = 0; k < planes; k++) {
        size_t pixel = ((size_t)k * p->canvas_height + y) * p->canvas_width + x;
        uint8_t *out = e->dst + pixel * map[k].out * e->elem;
        if (words)
            store_words(e, &map[k], k, pixels, out, n);
        else if (p->type == SPOOL_UINT8)
            e->kernels->bytes.remap(&map[k], pixels, out, n);
        else
            lookup(&map[k], e->elem, (const uint8_t *)e->table + k * 256 * e->elem, pixels, out, n);
    }
}

void spool_store_pixels(const spool_engine *e, const uint8_t *pixels, int32_t x, int32_t y, int32_t n)
{
    store(e, e->image_map, e->sample == 2, pixels, x, y, n);
}

void spool_store_color(const spool_engine *e, int32_t x, int32_t y, int32_t n)
{
    enum { SOME = 64 };
    uint8_t pixels[SOME * 4 + SPOOL_SLACK];

    for (int i = 0; i < spool_min(n, SOME); i++)
        memcpy(pixels + i * 4, e->plan.pad, 4);
    for (; n > 0; n -= SOME, x += SOME)
        store(e, e->pad_map, 0, pixels, x, y, spool_min(n, SOME));
}

void spool_store_init(spool_engine *e)
{
    static const uint8_t rgb[4] = {0, 1, 2, SPOOL_OPAQUE}, rgba[4] = {0, 1, 2, 3}, gray[4] = {0, 0, 0, SPOOL_OPAQUE};
    const spool_plan *p = &e->plan;
    const uint8_t *image = e->channels == 1 ? gray : e->channels == 3 ? rgb : rgba;
    uint8_t from[4], pad_from[4];

    for (int k = 0; k < 4; k++) {
        int channel = p->swap && k < 3 ? 2 - k : k;
        from[k] = image[channel];
        pad_from[k] = channel;
    }
    output_maps(p, e->image_map, e->channels, from);
    output_maps(p, e->pad_map, 4, pad_from);
    map_init(&e->drop_map, 4, 3, rgb);
    if (p->type != SPOOL_UINT8)
        table_init(e);
}
