#include "rows.h"

#include <stdlib.h>
#include <string.h>

#include "cancel.h"
#include "samples.h"

/* libvips' loaders work in strips of 16 rows (or of a tile's height, which they cache). */
enum { STRIP_ROWS = 16 };

/* The number of color channels of an image, 0 if it cannot be delivered. */
static int channels_of(const VipsImage *image, int format, int *color)
{
    switch (image->Type) {
    case VIPS_INTERPRETATION_B_W:
    case VIPS_INTERPRETATION_GREY16:
        *color = SPOOL_VIPS_GRAY;
        return 1;
    case VIPS_INTERPRETATION_sRGB:
    case VIPS_INTERPRETATION_RGB16:
    case VIPS_INTERPRETATION_scRGB:
        *color = format == SPOOL_VIPS_EXR && image->Bands < 3 ? SPOOL_VIPS_GRAY : SPOOL_VIPS_RGB;
        return *color == SPOOL_VIPS_GRAY ? 1 : 3;
    case VIPS_INTERPRETATION_CMYK:
        *color = SPOOL_VIPS_CMYK;
        return 4;
    default:
        return 0;
    }
}

int spool_vips_describe(VipsImage *image, int format, spool_vips_pixels *p)
{
    memset(p, 0, sizeof *p);
    switch (image->BandFmt) {
    case VIPS_FORMAT_UCHAR:
    case VIPS_FORMAT_USHORT:
    case VIPS_FORMAT_FLOAT:
        p->sample = image->BandFmt;
        break;
    default:
        return 0;
    }
    const int channels = channels_of(image, format, &p->color);
    if (image->Coding != VIPS_CODING_NONE || channels == 0 || image->Bands < channels)
        return 0;
    p->bands = image->Bands;
    p->alpha = p->color != SPOOL_VIPS_CMYK && image->Bands > channels;
    p->light = format == SPOOL_VIPS_EXR || format == SPOOL_VIPS_HDR;
    return 1;
}

/* The conversion of an image's rows for the sink. */
typedef struct {
    spool_vips_pixels pixels;
    int bits, channels;
    int left, columns; /* columns that the sink reads */
    int narrow;        /* the sink takes another type of samples */
    int direct;        /* narrowing is the only conversion */
    void *samples;     /* a converted row; NULL if the samples of the image are delivered as they are */
    int32_t *delivered;
} conversion;

/* Returns 0 to continue, SPOOL_SINK_ENOUGH, or SPOOL_VIPS_SINK_FAILED for any error of the sink. */
static int push(conversion *r, spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n)
{
    const int code = sink->push(sink, rows, stride, n);
    if (code < 0)
        return SPOOL_VIPS_SINK_FAILED;
    *r->delivered += n;
    return code;
}

/* Converts a row, from the first column that the sink reads. */
static void convert(conversion *r, const uint8_t *in, uint8_t *out)
{
    const size_t n = (size_t)r->columns * r->pixels.bands;
    if (r->direct) {
        spool_vips_narrow(&r->pixels, r->bits, in, out + (size_t)r->left * r->channels * (r->bits / 8), n);
        return;
    }
    if (r->narrow)
        spool_vips_narrow(&r->pixels, r->bits, in, r->samples, n);
    else if (r->samples)
        memcpy(r->samples, in, n * (r->bits / 8));
    if (r->pixels.premultiplied)
        spool_vips_divide(&r->pixels, r->samples, r->columns);
    if (r->samples)
        in = r->samples;
    out += (size_t)r->left * r->channels * (r->bits / 8);
    spool_vips_arrange(&r->pixels, r->bits, r->channels, in, out, r->columns);
}

/* Converts rows of the region from top on, in memory that the sink lends. Returns the codes of push. */
static int push_converted(conversion *r, spool_sink *sink, VipsRegion *region, int top, int rows)
{
    while (rows > 0) {
        ptrdiff_t stride = 0;
        int n = rows;
        uint8_t *out = sink->lend(sink, &stride, &n);
        if (!out || n < 1)
            return SPOOL_VIPS_SINK_FAILED;
        n = MIN(n, rows);
        for (int y = 0; y < n; y++)
            convert(r, VIPS_REGION_ADDR(region, r->left, top + y), out + y * stride);
        const int code = push(r, sink, out, stride, n);
        if (code)
            return code;
        top += n;
        rows -= n;
    }
    return 0;
}

static int deliver(conversion *r, VipsImage *image, spool_sink *sink, const volatile int32_t *cancel)
{
    const int as_stored =
        !r->samples && !r->direct && !r->pixels.mixed && image->Bands == r->channels && r->columns == image->Xsize;
    const int last = MIN(sink->last, image->Ysize);
    VipsRegion *region = vips_region_new(image);
    int code = 0;
    for (int top = 0; top < last && !code; top += STRIP_ROWS) {
        VipsRect strip = {r->left, top, r->columns, MIN(STRIP_ROWS, image->Ysize - top)};
        if (spool_cancelled(cancel))
            code = SPOOL_CANCELLED;
        else if (vips_region_prepare(region, &strip))
            code = SPOOL_VIPS_FAILED;
        const int from = MAX(top, sink->first), rows = MIN(top + strip.height, last) - from;
        if (code || rows <= 0)
            continue;
        if (as_stored)
            code = push(r, sink, VIPS_REGION_ADDR(region, 0, from), VIPS_REGION_LSKIP(region), rows);
        else
            code = push_converted(r, sink, region, from, rows);
    }
    g_object_unref(region);
    return code == SPOOL_SINK_ENOUGH ? SPOOL_VIPS_OK : code;
}

int spool_vips_deliver(VipsImage *image, const spool_vips_request *request, spool_sink *sink,
                       const volatile int32_t *cancel, int32_t *delivered)
{
    conversion r = {.bits = request->bits, .channels = request->channels, .delivered = delivered};
    if (!spool_vips_describe(image, request->source.format, &r.pixels))
        return SPOOL_VIPS_UNSUPPORTED;
    const int inks = r.pixels.color == SPOOL_VIPS_CMYK;
    if ((request->channels == 1 && r.pixels.color != SPOOL_VIPS_GRAY) || (request->inks && !inks))
        return SPOOL_VIPS_CHANGED;
    r.pixels.mixed = inks && !request->inks;
    r.pixels.premultiplied = request->premultiplied && r.pixels.alpha && request->bits == 8;
    r.left = sink->left;
    r.columns = (sink->right > 0 ? sink->right : image->Xsize) - r.left;
    r.narrow = r.pixels.sample != (request->bits == 8 ? VIPS_FORMAT_UCHAR : VIPS_FORMAT_USHORT);
    r.direct = r.narrow && r.bits == 8 && !r.pixels.premultiplied && !r.pixels.mixed && image->Bands == r.channels &&
               (r.channels == 1 || r.pixels.color != SPOOL_VIPS_GRAY); /* gray is not repeated */
    if (!r.direct && (r.narrow || r.pixels.premultiplied)) {
        r.samples = malloc((size_t)r.columns * image->Bands * (request->bits / 8));
        if (!r.samples)
            return SPOOL_VIPS_NO_MEMORY;
    }
    const int code = deliver(&r, image, sink, cancel);
    free(r.samples);
    return code;
}
