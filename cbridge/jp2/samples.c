#include "samples.h"

/* Pixels that are converted at once. */
enum { RUN = 512 };

/* How samples of a component are scaled to the output's depth. */
typedef struct {
    uint32_t offset, half, most;
    int up, down;
} scale;

static scale scale_of(const spool_jp2_options *o, int index)
{
    const spool_jp2_component *c = &o->components[index];
    const int bits = o->wide ? 16 : 8;
    scale s = {.offset = c->is_signed ? 1u << (c->bits - 1) : 0, .most = (1u << bits) - 1};
    if (o->color == SPOOL_JP2_PALETTE && index == 0)
        return s; /* a palette index is not scaled */
    s.up = c->bits < bits ? bits - c->bits : 0;
    s.down = c->bits > bits ? c->bits - bits : 0;
    s.half = s.down > 0 && !o->truncate ? 1u << (s.down - 1) : 0;
    return s;
}

static inline uint16_t scaled(int32_t sample, const scale *s)
{
    uint32_t v = (uint32_t)sample + s->offset;
    v = ((v + s->half) >> s->down) << s->up;
    return v > s->most ? s->most : v;
}

/*
 * The index of the sample for pixel i. Samples are repeated from the image's first column or row on, as in Pillow.
 * `start` is the index of the image's first sample in the plane, which has `count` samples.
 */
static inline int32_t nearest(int32_t i, int32_t distance, int32_t start, int32_t count)
{
    const int32_t at = i / distance + start;
    return at < 0 ? 0 : at < count ? at : count - 1;
}

/* clang-format off */
#define SCALE(type)                                                            \
    do {                                                                       \
        const type *in = (const type *)plane->samples + row;                   \
        if (c->dx == 1) {                                                      \
            in += x + start;                                                       \
            for (int32_t i = 0; i < n; i++)                                    \
                out[i] = scaled(in[i], &s);                                    \
        } else {                                                               \
            for (int32_t i = 0; i < n; i++)                                    \
                out[i] = scaled(in[nearest(x + i, c->dx, start, width)], &s);  \
        }                                                                      \
    } while (0)
/* clang-format on */

/* The scaled samples of n pixels of row y, from column x on. */
static void fetch(const spool_jp2_options *o, const spool_jp2_plane *plane, int index, int32_t x, int32_t y, int32_t n,
                  uint16_t *out)
{
    const spool_jp2_component *c = &o->components[index];
    const scale s = scale_of(o, index);
    const int32_t width = plane->right - plane->left;
    const int32_t start = spool_jp2_ceildiv(o->left, c->dx) - plane->left;
    const int32_t above = spool_jp2_ceildiv(o->top, c->dy) - plane->top;
    const ptrdiff_t row = (ptrdiff_t)nearest(y, c->dy, above, plane->bottom - plane->top) * width;
    switch (plane->bytes) {
    case 1:
        if (c->is_signed)
            SCALE(int8_t);
        else
            SCALE(uint8_t);
        break;
    case 2:
        if (c->is_signed)
            SCALE(int16_t);
        else
            SCALE(uint16_t);
        break;
    default:
        SCALE(int32_t);
    }
}

static inline int32_t clipped(int32_t v)
{
    return v <= 0 ? 0 : v >= 255 ? 255 : v;
}

/* a * k, rounded like Pillow's YCbCr tables, which hold 64ths. */
static inline int32_t part(int32_t a, int32_t k)
{
    const int32_t product = a * k;
    return ((product + 32768) >> 16) + (product < 0);
}

static void ycc_to_rgb(uint16_t *first, uint16_t *second, uint16_t *third, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const int32_t y = first[i], cb = second[i] - 128, cr = third[i] - 128;
        first[i] = clipped(y + (part(cr, 5880414) >> 6));
        second[i] = clipped(y + ((part(cb, -1443428) + part(cr, -2995320)) >> 6));
        third[i] = clipped(y + (part(cb, 7432307) >> 6));
    }
}

static inline int64_t clipped_wide(int64_t v)
{
    return v < 0 ? 0 : v > 65535 ? 65535 : v;
}

/* The same for 16 bits, where no other decoder sets a reference: the formula, rounded. */
static void ycc_to_rgb_wide(uint16_t *first, uint16_t *second, uint16_t *third, int32_t n)
{
    const int64_t half = 1 << 21; /* factors are in 2^22nds */
    for (int32_t i = 0; i < n; i++) {
        const int64_t y = (int64_t)first[i] << 22, cb = second[i] - 32768, cr = third[i] - 32768;
        first[i] = clipped_wide((y + cr * 5880414 + half) >> 22);
        second[i] = clipped_wide((y - cb * 1443428 - cr * 2995320 + half) >> 22);
        third[i] = clipped_wide((y + cb * 7432307 + half) >> 22);
    }
}

/* a * b / white, rounded. */
static inline uint32_t product(uint32_t a, uint32_t b, int bits)
{
    const uint32_t t = a * b + (1u << (bits - 1));
    return ((t >> bits) + t) >> bits;
}

/* The simple formula of Pillow's convert("RGB"). */
static void cmyk_to_rgb(uint16_t pixels[][RUN], int32_t n, int bits)
{
    const uint32_t white = (1u << bits) - 1;
    for (int c = 0; c < 3; c++)
        for (int32_t i = 0; i < n; i++) {
            const uint32_t rest = white - pixels[3][i];
            pixels[c][i] = rest - product(pixels[c][i], rest, bits);
        }
}

static void look_up(const spool_jp2_options *o, uint16_t pixels[][RUN], int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const uint8_t *color = o->palette[pixels[0][i] & 255];
        for (int c = 0; c < 4; c++)
            pixels[c][i] = o->wide ? color[c] * 257 : color[c];
    }
}

static void store(const spool_jp2_options *o, uint16_t *const *channels, int32_t n, uint8_t *out)
{
    const int count = o->channels;
    for (int c = 0; c < count; c++) {
        const uint16_t *in = channels[c];
        if (o->wide)
            for (int32_t i = 0; i < n; i++)
                ((uint16_t *)out)[i * count + c] = in[i];
        else
            for (int32_t i = 0; i < n; i++)
                out[i * count + c] = (uint8_t)in[i];
    }
}

/* Converts a run of n pixels, at most RUN. */
static void convert(const spool_jp2_options *o, const spool_jp2_plane *planes, int32_t x, int32_t y, int32_t n,
                    uint8_t *out)
{
    uint16_t pixels[4][RUN], opacity[RUN];
    const int colors = o->color == SPOOL_JP2_CMYK ? 4 : o->color == SPOOL_JP2_RGB || o->color == SPOOL_JP2_YCC ? 3 : 1;
    const int opaque = !o->inks && o->opacity < 0 && o->color != SPOOL_JP2_PALETTE;
    for (int c = 0; c < colors; c++)
        fetch(o, &planes[c], c, x, y, n, pixels[c]);
    if (o->color == SPOOL_JP2_YCC && o->wide)
        ycc_to_rgb_wide(pixels[0], pixels[1], pixels[2], n);
    else if (o->color == SPOOL_JP2_YCC)
        ycc_to_rgb(pixels[0], pixels[1], pixels[2], n);
    else if (o->color == SPOOL_JP2_CMYK && !o->inks)
        cmyk_to_rgb(pixels, n, o->wide ? 16 : 8);
    else if (o->color == SPOOL_JP2_PALETTE)
        look_up(o, pixels, n);

    uint16_t *channels[4] = {pixels[0], pixels[1], pixels[2], pixels[3]};
    if (o->color == SPOOL_JP2_GRAY)
        channels[1] = channels[2] = pixels[0];
    if (o->channels == 4 && o->opacity >= 0) {
        channels[3] = opacity;
        fetch(o, &planes[o->opacity], o->opacity, x, y, n, opacity);
    } else if (o->channels == 4 && opaque) {
        channels[3] = opacity;
        for (int32_t i = 0; i < n; i++)
            opacity[i] = o->wide ? 65535 : 255;
    }
    store(o, channels, n, out);
}

void spool_jp2_convert(const spool_jp2_options *o, const spool_jp2_plane *planes, int32_t x, int32_t y, int32_t n,
                       uint8_t *out)
{
    for (int32_t done = 0; done < n; done += RUN) {
        const int32_t run = n - done < RUN ? n - done : RUN;
        convert(o, planes, x + done, y, run, out + (size_t)done * spool_jp2_pixel(o));
    }
}
