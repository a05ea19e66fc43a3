/* Steps in order. Those that map bytes to bytes are joined in tables, until another one needs the pixels. */
#include "exact.h"

#include <math.h>
#include <string.h>

#include "normal.h"
#include "ops.h"

#if defined(__x86_64__)
int spool_ops_levels(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") ? 2 : 1;
}

const spool_ops *spool_ops_at(int level)
{
    return level ? &spool_ops_avx2 : &spool_ops_scalar;
}
#else
int spool_ops_levels(void)
{
    return 1;
}

const spool_ops *spool_ops_at(int level)
{
    (void)level;
    return &spool_ops_scalar;
}
#endif

/* The tables that have not been applied yet. */
typedef struct {
    const spool_raster *r;
    const spool_ops *ops;
    int pending;
    uint8_t tables[3][256];
} maps;

static void flush(maps *m)
{
    if (m->pending)
        m->ops->lookup(m->r, m->tables);
    m->pending = 0;
}

/* Appends a map to the tables of the channels from first to last. */
static void append(maps *m, const uint8_t map[256], int first, int last)
{
    if (!m->pending) {
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < 256; i++)
                m->tables[c][i] = (uint8_t)i;
        }
        m->pending = 1;
    }
    for (int c = first; c <= last; c++) {
        for (int i = 0; i < 256; i++)
            m->tables[c][i] = map[m->tables[c][i]];
    }
}

/* Counts the bytes of each channel, as they are after the tables. */
static void counted(const maps *m, uint32_t counts[3][256])
{
    uint32_t stored[3][256];
    if (!m->pending) {
        m->ops->histogram(m->r, counts);
        return;
    }
    m->ops->histogram(m->r, stored);
    memset(counts, 0, 3 * sizeof counts[0]);
    for (int c = 0; c < m->r->channels; c++) {
        for (int i = 0; i < 256; i++)
            counts[c][m->tables[c][i]] += stored[c][i];
    }
}

static uint8_t byte(float x)
{
    return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x);
}

static void contrast(maps *m, double factor)
{
    uint8_t map[256];
    flush(m); /* the mean is that of colors, and not of channels */
    size_t all = (size_t)m->r->width * (size_t)m->r->height;
    float mean = (float)((double)m->ops->luma(m->r) / (double)all), rest = (float)(1 - factor);
    for (int i = 0; i < 256; i++)
        map[i] = byte((float)i * (float)factor + rest * mean);
    append(m, map, 0, 2);
}

static void autocontrast(maps *m)
{
    uint32_t counts[3][256];
    counted(m, counts);
    for (int c = 0; c < m->r->channels; c++) {
        int least = 0, most = 255;
        uint8_t map[256];
        while (least < 255 && !counts[c][least])
            least++;
        while (most > least && !counts[c][most])
            most--;
        if (least == most)
            continue;
        float scale = (float)(most - least) * (1.0f / 255.0f);
        for (int i = 0; i < 256; i++)
            map[i] = byte((float)(i - least) / scale);
        append(m, map, c, c);
    }
}

/* Pillow's rule, with integers. */
static void equalize(maps *m)
{
    uint32_t counts[3][256];
    uint64_t all = (uint64_t)m->r->width * (uint64_t)m->r->height;
    counted(m, counts);
    for (int c = 0; c < m->r->channels; c++) {
        int most = 255;
        uint8_t map[256];
        while (most > 0 && !counts[c][most])
            most--;
        uint64_t step = (all - counts[c][most]) / 255, sum = step / 2;
        if (step == 0)
            continue;
        for (int i = 0; i < 256; i++) {
            uint64_t x = sum / step;
            map[i] = (uint8_t)(x > 255 ? 255 : x);
            sum += counts[c][i];
        }
        map[0] = 0;
        append(m, map, c, c);
    }
}

/* splitmix64 (Steele, Lea, Flood 2014): number i of a seed. */
static uint64_t random_at(uint64_t seed, uint64_t i)
{
    uint64_t x = seed + (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* A color with normal noise. Each channel takes 11 bits: a quantile of the upper half, and a sign. */
static void noisy(uint8_t *to, size_t channels, const spool_step *s, uint64_t bits)
{
    for (size_t c = 0; c < channels; c++, bits >>= 11) {
        int32_t deviation = s->noise[c] * normal[bits & 1023];
        int32_t x = s->color[c] * 4096 + 2048 + (bits & 1024 ? -deviation : deviation);
        to[c] = (uint8_t)(x < 0 ? 0 : x > 255 * 4096 ? 255 : x / 4096);
    }
}

static void erase(const spool_raster *r, const spool_step *s)
{
    const size_t c = (size_t)r->channels, row = (size_t)r->width * c;
    const int noise = s->noise[0] || s->noise[1] || s->noise[2];
    uint64_t i = 0;
    for (int32_t y = s->box[1]; y < s->box[1] + s->box[3]; y++) {
        uint8_t *to = r->pixels + (size_t)y * row + (size_t)s->box[0] * c;
        for (int32_t x = 0; x < s->box[2]; x++, to += c) {
            if (noise)
                noisy(to, c, s, random_at(s->seed, i++));
            else
                memcpy(to, s->color, c);
        }
    }
}

/* torchvision's kernel: a softmax of squared distances. */
static void gaussian(const spool_raster *r, const spool_ops *ops, double sigma, int32_t n)
{
    float taps[SPOOL_MOST_TAPS], sum = 0;
    for (int32_t i = 0; i < n; i++) {
        double x = ((double)i - (double)(n - 1) / 2) / sqrt(2) / sigma;
        taps[i] = (float)exp(-x * x);
        sum += taps[i];
    }
    for (int32_t i = 0; i < n; i++)
        taps[i] /= sum;
    ops->blur(r, taps, n);
}

static void affine(const spool_raster *r, const spool_ops *ops, const spool_step *s)
{
    float across[3], down[3];
    for (int i = 0; i < 3; i++) {
        across[i] = (float)s->matrix[i] / (0.5f * (float)r->width);
        down[i] = (float)s->matrix[3 + i] / (0.5f * (float)r->height);
    }
    ops->warp(r, across, down, s->color);
}

/* Appends a step that maps bytes without a look at the pixels. Returns 0 for other steps. */
static int mapped(maps *m, const spool_step *s)
{
    uint8_t map[256];
    for (int i = 0; i < 256; i++) {
        switch (s->kind) {
        case SPOOL_BRIGHTNESS:
            map[i] = byte((float)i * (float)s->value);
            break;
        case SPOOL_SOLARIZE:
            map[i] = (uint8_t)((float)i >= (float)s->value ? 255 - i : i);
            break;
        case SPOOL_POSTERIZE:
            map[i] = (uint8_t)(i & (0xff00 >> (s->size < 8 ? s->size : 8)));
            break;
        case SPOOL_INVERT:
            map[i] = (uint8_t)(255 - i);
            break;
        default:
            return 0;
        }
    }
    append(m, map, 0, 2);
    return 1;
}

void spool_ops_run(const spool_step *steps, int32_t n, uint8_t *pixels, int32_t width, int32_t height, int32_t channels,
                   uint8_t *scratch, int level)
{
    const spool_raster raster = {pixels, width, height, channels, scratch}, *r = &raster;
    maps m = {.r = r, .ops = spool_ops_at(level)};
    const int colored = channels == 3;
    for (const spool_step *s = steps; s < steps + n; s++) {
        if (mapped(&m, s))
            continue;
        switch (s->kind) {
        case SPOOL_CONTRAST:
            contrast(&m, s->value);
            continue;
        case SPOOL_AUTOCONTRAST:
            autocontrast(&m);
            continue;
        case SPOOL_EQUALIZE:
            equalize(&m);
            continue;
        }
        flush(&m);
        switch (s->kind) {
        case SPOOL_SATURATION:
            if (colored)
                m.ops->saturate(r, (float)s->value);
            break;
        case SPOOL_HUE:
            if (colored)
                m.ops->turn(r, (float)s->value);
            break;
        case SPOOL_GRAYSCALE:
            if (colored)
                m.ops->gray(r);
            break;
        case SPOOL_SHARPNESS:
            m.ops->sharpen(r, (float)s->value);
            break;
        case SPOOL_BLUR:
            gaussian(r, m.ops, s->value, s->size);
            break;
        case SPOOL_ERASE:
            erase(r, s);
            break;
        case SPOOL_AFFINE:
            affine(r, m.ops, s);
            break;
        }
    }
    flush(&m);
}

size_t spool_step_scratch(const spool_step *step, int32_t width, int32_t height, int32_t channels)
{
    const size_t row = (size_t)width * (size_t)channels, reach = (size_t)(step->size / 2);
    switch (step->kind) {
    case SPOOL_SHARPNESS:
        return (2 * row + 63) / 64 * 64 + 2 * row;
    case SPOOL_BLUR:
        return sizeof(float) * (((size_t)step->size + 2) * row + 2 * reach * (size_t)channels);
    case SPOOL_AFFINE:
        return row * (size_t)height;
    }
    return 0;
}
