#include "rows.h"

#include <string.h>

#include "cancel.h"

/* libvips' loaders work in strips of 16 rows (or of a tile's height, which they cache). */
enum { STRIP_ROWS = 16 };

int spool_vips_describe(VipsImage *image, int format, spool_vips_pixels *p)
{
    memset(p, 0, sizeof *p);
    if (image->Coding != VIPS_CODING_NONE)
        return 0;
    if (image->BandFmt != VIPS_FORMAT_UCHAR && image->BandFmt != VIPS_FORMAT_USHORT)
        return 0;
    int channels;
    switch (image->Type) {
    case VIPS_INTERPRETATION_B_W:
    case VIPS_INTERPRETATION_GREY16:
        p->color = SPOOL_VIPS_GRAY, channels = 1;
        break;
    case VIPS_INTERPRETATION_sRGB:
    case VIPS_INTERPRETATION_RGB16:
        p->color = SPOOL_VIPS_RGB, channels = 3;
        break;
    case VIPS_INTERPRETATION_CMYK:
        p->color = SPOOL_VIPS_CMYK, channels = 4;
        break;
    default:
        return 0;
    }
    if (image->Bands < channels)
        return 0;
    const int bytes = (int)vips_format_sizeof(image->BandFmt);
    const int high = G_BYTE_ORDER == G_LITTLE_ENDIAN ? bytes - 1 : 0;
    for (int c = 0; c < channels; c++)
        p->sample[c] = c * bytes + high;
    p->alpha = p->color != SPOOL_VIPS_CMYK && image->Bands > channels;
    p->opacity = channels * bytes + high;
    p->size = image->Bands * bytes;
    p->keyed = format == SPOOL_VIPS_GIF && p->alpha;
    double *ground = NULL;
    int n = 0;
    if (p->keyed && !vips_image_get_array_double(image, "background", &ground, &n))
        for (int c = 0; c < MIN(n, 3); c++)
            p->background[c] = (uint8_t)ground[c];
    return 1;
}

/* A row of pixels to be delivered: samples picked, opacity 255 where there is none. */
static inline void pick(const spool_vips_pixels *p, const uint8_t *in, uint8_t *out, int width, const int channels)
{
    const int gray = p->color == SPOOL_VIPS_GRAY;
    const int r = p->sample[0], g = gray ? r : p->sample[1], b = gray ? r : p->sample[2];
    for (int x = 0; x < width; x++, in += p->size, out += channels) {
        out[0] = in[r];
        if (channels >= 3) {
            out[1] = in[g];
            out[2] = in[b];
        }
        if (channels == 4)
            out[3] = p->alpha ? in[p->opacity] : 255;
    }
}

/* a * b / 255, rounded to nearest. */
static inline int mul255(int a, int b)
{
    const int t = a * b + 128;
    return ((t >> 8) + t) >> 8;
}

/* The plain formula, rounded as Pillow's convert("RGB") does: r = (255 - k) - c * (255 - k) / 255. */
static inline void mix(const spool_vips_pixels *p, const uint8_t *in, uint8_t *out, int width, const int channels)
{
    for (int x = 0; x < width; x++, in += p->size, out += channels) {
        const int white = 255 - in[p->sample[3]];
        for (int c = 0; c < 3; c++)
            out[c] = (uint8_t)(white - mul255(in[p->sample[c]], white));
        if (channels == 4)
            out[3] = 255;
    }
}

/* Shows the background where a row of RGB was not drawn. */
static void ground(const spool_vips_pixels *p, const uint8_t *in, uint8_t *out, int width)
{
    for (int x = 0; x < width; x++, in += p->size, out += 3)
        if (!in[p->opacity])
            memcpy(out, p->background, 3);
}

static void convert(const spool_vips_pixels *p, const uint8_t *in, uint8_t *out, int width, int channels)
{
    if (p->color == SPOOL_VIPS_CMYK)
        channels == 4 ? mix(p, in, out, width, 4) : mix(p, in, out, width, 3);
    else if (channels == 1)
        pick(p, in, out, width, 1);
    else if (channels == 3)
        pick(p, in, out, width, 3);
    else
        pick(p, in, out, width, 4);
    if (p->keyed && channels == 3)
        ground(p, in, out, width);
}

/* 0: go on. SPOOL_SINK_ENOUGH, or SPOOL_VIPS_SINK_FAILED whatever the sink's own code. */
static int push(spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n, int32_t *delivered)
{
    const int code = sink->push(sink, rows, stride, n);
    if (code < 0)
        return SPOOL_VIPS_SINK_FAILED;
    *delivered += n;
    return code;
}

/* Rows of the region from top on, converted in memory that the sink lends. Returns as push does. */
static int push_converted(spool_sink *sink, VipsRegion *region, const spool_vips_pixels *pixels, int channels, int top,
                          int rows, int32_t *delivered)
{
    while (rows > 0) {
        ptrdiff_t stride = 0;
        int n = rows;
        uint8_t *out = sink->lend(sink, &stride, &n);
        if (!out || n < 1)
            return SPOOL_VIPS_SINK_FAILED;
        n = MIN(n, rows);
        for (int y = 0; y < n; y++)
            convert(pixels, VIPS_REGION_ADDR(region, 0, top + y), out + y * stride, region->im->Xsize, channels);
        const int code = push(sink, out, stride, n, delivered);
        if (code)
            return code;
        top += n;
        rows -= n;
    }
    return 0;
}

int spool_vips_deliver(VipsImage *image, int format, int channels, spool_sink *sink, const volatile int32_t *cancel,
                       int32_t *delivered)
{
    spool_vips_pixels pixels;
    if (!spool_vips_describe(image, format, &pixels))
        return SPOOL_VIPS_UNSUPPORTED;
    if (channels == 1 && pixels.color != SPOOL_VIPS_GRAY)
        return SPOOL_VIPS_CHANGED;
    const int as_stored = pixels.color != SPOOL_VIPS_CMYK && image->Bands == channels && pixels.size == channels;
    const int last = MIN(sink->last, image->Ysize);

    VipsRegion *region = vips_region_new(image);
    int code = 0;
    for (int top = 0; top < last && !code; top += STRIP_ROWS) {
        VipsRect strip = {0, top, image->Xsize, MIN(STRIP_ROWS, image->Ysize - top)};
        if (spool_cancelled(cancel))
            code = SPOOL_CANCELLED;
        else if (vips_region_prepare(region, &strip))
            code = SPOOL_VIPS_FAILED;
        const int from = MAX(top, sink->first), rows = MIN(top + strip.height, last) - from;
        if (code || rows <= 0)
            continue;
        if (as_stored)
            code = push(sink, VIPS_REGION_ADDR(region, 0, from), VIPS_REGION_LSKIP(region), rows, delivered);
        else
            code = push_converted(sink, region, &pixels, channels, from, rows, delivered);
    }
    g_object_unref(region);
    return code == SPOOL_SINK_ENOUGH ? SPOOL_VIPS_OK : code;
}
