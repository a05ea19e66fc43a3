#include <stdlib.h>

#include "codec.h"
#include "samples.h"
#include "tiles.h"

/* A rectangle on the reference grid. */
typedef struct {
    int32_t left, top, right, bottom;
} area;

/*
 * The area to decode for the pixels [left, right) x [top, bottom) of the image. Each side is extended by the neighbors
 * that subsampled components are repeated from; right and bottom also by o->margin.
 */
static area area_of(const spool_jp2_options *o, int32_t left, int32_t top, int32_t right, int32_t bottom)
{
    int32_t across = 0, down = 0;
    for (int i = 0; i < o->count; i++) {
        const spool_jp2_component *c = &o->components[i];
        across = c->dx - 1 > across ? c->dx - 1 : across;
        down = c->dy - 1 > down ? c->dy - 1 : down;
    }
    const int32_t right_margin = o->margin > across ? o->margin : across;
    const int32_t bottom_margin = o->margin > down ? o->margin : down;
    area a;
    a.left = left > across ? o->left + left - across : o->left;
    a.top = top > down ? o->top + top - down : o->top;
    a.right = o->right - o->left - right > right_margin ? o->left + right + right_margin : o->right;
    a.bottom = o->bottom - o->top - bottom > bottom_margin ? o->top + bottom + bottom_margin : o->bottom;
    return a;
}

/* Describes the library's own planes of an area; 0 if a plane is missing, empty or of another size. */
static int describe(const opj_image_t *image, const spool_jp2_options *o, const area *a, spool_jp2_plane *planes)
{
    for (int i = 0; i < o->count; i++) {
        const opj_image_comp_t *theirs = &image->comps[i];
        const spool_jp2_component *c = &o->components[i];
        spool_jp2_plane *p = &planes[i];
        *p = (spool_jp2_plane){
            .samples = theirs->data,
            .bytes = 4,
            .left = spool_jp2_ceildiv(a->left, c->dx),
            .top = spool_jp2_ceildiv(a->top, c->dy),
            .right = spool_jp2_ceildiv(a->right, c->dx),
            .bottom = spool_jp2_ceildiv(a->bottom, c->dy),
        };
        if (p->samples == NULL || p->left >= p->right || p->top >= p->bottom ||
            theirs->w != (uint32_t)(p->right - p->left) || theirs->h != (uint32_t)(p->bottom - p->top))
            return 0;
    }
    return 1;
}

typedef struct {
    spool_jp2_codec codec;
    const spool_jp2_options *options;
    spool_sink *sink;
    int32_t left, columns; /* the columns that the sink reads */
    int32_t rows;          /* of a band */
    uint8_t *row;
} bands;

/*
 * How many rows to decode at a time. 0 means tile by tile, which is the fastest way to decode whole tiles but cannot be
 * interrupted within a tile. Each band computes parts of the wavelet transform again.
 */
static int32_t band_rows(const bands *b)
{
    enum { WHOLE = 1 << 20, BANDS = 6, CODE_BLOCK = 64 };
    const int32_t rows = b->sink->last - b->sink->first;
    const int64_t wanted = (int64_t)rows * b->columns;
    const int small_part = b->options->tiles == 1 && 2 * wanted < b->options->tile_pixels;
    if (b->options->tile_pixels <= WHOLE && !small_part)
        return 0;
    if (wanted <= WHOLE)
        return rows;
    return ((rows + BANDS - 1) / BANDS + CODE_BLOCK - 1) / CODE_BLOCK * CODE_BLOCK;
}

/* Decodes and pushes the rows [top, bottom). */
static int push_band(bands *b, int32_t top, int32_t bottom)
{
    const spool_jp2_options *o = b->options;
    spool_jp2_codec *c = &b->codec;
    spool_jp2_plane planes[SPOOL_JP2_COMPONENTS];
    const area a = area_of(o, b->left, top, b->left + b->columns, bottom);
    if (!opj_set_decode_area(c->codec, c->image, a.left, a.top, a.right, a.bottom) ||
        !opj_decode(c->codec, c->stream, c->image))
        return SPOOL_JP2_FAILED;
    if (!describe(c->image, o, &a, planes))
        return SPOOL_JP2_CHANGED;
    const size_t pixel = spool_jp2_pixel(o);
    for (int32_t y = top; y < bottom; y++) {
        spool_jp2_convert(o, planes, b->left, y, b->columns, b->row + (size_t)b->left * pixel);
        const int code = b->sink->push(b->sink, b->row, 0, 1);
        if (code < 0)
            return SPOOL_JP2_SINK;
        c->report->rows++;
        if (code == SPOOL_SINK_ENOUGH)
            return SPOOL_SINK_ENOUGH;
    }
    return SPOOL_JP2_OK;
}

/*
 * The library keeps the data of a single tile from one area to the next. With several tiles, each band reads them
 * again.
 */
static int push_bands(bands *b, const uint8_t *data, size_t size, const int32_t *flag, spool_jp2_report *report)
{
    int code = SPOOL_JP2_OK;
    for (int32_t top = b->sink->first, bottom; top < b->sink->last && code == SPOOL_JP2_OK; top = bottom) {
        bottom = b->sink->last - top > b->rows ? top + b->rows : b->sink->last;
        if (spool_cancelled(flag))
            return SPOOL_CANCELLED;
        if (b->options->tiles > 1 && top > b->sink->first) {
            spool_jp2_close(&b->codec);
            code = spool_jp2_open(&b->codec, data, size, flag, report);
        }
        if (code == SPOOL_JP2_OK)
            code = push_band(b, top, bottom);
    }
    return code == SPOOL_SINK_ENOUGH ? SPOOL_JP2_OK : code;
}

int spool_jp2_decode(const uint8_t *data, size_t size, const spool_jp2_options *o, spool_sink *sink,
                     const int32_t *flag, spool_jp2_report *report)
{
    const int32_t width = o->right - o->left, height = o->bottom - o->top;
    bands b = {.options = o,
               .sink = sink,
               .left = sink->left,
               .columns = (sink->right > 0 ? sink->right : width) - sink->left};
    if (sink->first < 0 || sink->first >= sink->last || sink->last > height || b.left < 0 || b.columns < 1 ||
        b.left + b.columns > width)
        return SPOOL_JP2_SINK;
    b.rows = band_rows(&b);
    int code = spool_jp2_open(&b.codec, data, size, flag, report);
    if (code == SPOOL_JP2_OK && !spool_jp2_matches(&b.codec, o)) {
        code = SPOOL_JP2_CHANGED;
    } else if (code == SPOOL_JP2_OK && b.rows == 0) {
        code = spool_jp2_tiles(&b.codec, o, sink);
    } else if (code == SPOOL_JP2_OK && o->gaps) {
        code = SPOOL_JP2_MISSING; /* the library would make missing tiles black */
    } else if (code == SPOOL_JP2_OK) {
        b.row = calloc((size_t)width, spool_jp2_pixel(o));
        code = b.row == NULL ? SPOOL_JP2_MEMORY : push_bands(&b, data, size, flag, report);
        free(b.row);
    }
    spool_jp2_close(&b.codec);
    return code != SPOOL_JP2_OK && spool_cancelled(flag) ? SPOOL_CANCELLED : code;
}
