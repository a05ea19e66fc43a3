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
    int32_t rows;          /* of a band, at most */
    uint8_t *row;
} bands;

enum {
    SMALL = 1 << 16,      /* wanted pixels of a single tile that are decoded in one step */
    LARGE_TILE = 1 << 20, /* pixels of a tile above which images of several tiles are decoded in bands */
    STEPS = 8,            /* that the work is divided into */
    ROUND = 64,           /* what the rows of bands are multiples of */
    MOST_STEPS = 4,       /* of the first band */
    CODE_BLOCK = 128,     /* pixels that a code block of 64 coefficients covers at the highest level */
};

/*
 * How many rows to decode at a time. 0 means tile by tile, which is the fastest way to decode whole tiles but cannot be
 * interrupted within a tile. The rows of a large tile are at least two bands: the library keeps no code blocks for an
 * area that is the whole tile.
 */
static int32_t band_rows(const bands *b)
{
    const spool_jp2_options *o = b->options;
    const int32_t rows = b->sink->last - b->sink->first;
    const int64_t wanted = (int64_t)rows * b->columns;
    const int64_t one_step = o->tiles == 1 ? SMALL : LARGE_TILE;
    const int small_part = o->tiles == 1 && 2 * wanted < o->tile_pixels;
    if (o->undivided)
        return 0;
    if ((o->tiles == 1 ? wanted : o->tile_pixels) <= one_step && !small_part)
        return 0;
    if (wanted <= one_step)
        return rows;
    int32_t band = ((rows + STEPS - 1) / STEPS + ROUND - 1) / ROUND * ROUND;
    band = band > CODE_BLOCK ? band : CODE_BLOCK;
    return band < rows ? band : (rows + 1) / 2;
}

/*
 * Moves the end of an area, a row or a column, up or to the left: to where the areas of the highest level, which the
 * library extends by some coefficients, end within a code block. origin is that of the image.
 */
static int32_t align(const spool_jp2_options *o, int32_t origin, int32_t end)
{
    const int64_t from = (int64_t)origin + 2 * (int64_t)o->margin;
    return (int32_t)((from + end) / CODE_BLOCK * CODE_BLOCK - from);
}

/* The end of the band that begins at row top. */
static int32_t band_end(const bands *b, int32_t top)
{
    const int32_t last = b->sink->last;
    if (last - top <= b->rows)
        return last;
    const int32_t end = align(b->options, b->options->top, top + b->rows);
    return end > top ? end : top + b->rows;
}

/* The column where a step of a band ends. */
static int32_t step_end(const bands *b, int32_t step, int32_t steps)
{
    const int32_t end = b->left + (int32_t)((int64_t)b->columns * step / steps);
    const int32_t aligned = step < steps ? align(b->options, b->options->left, end) : end;
    return aligned > b->left ? aligned : end;
}

/*
 * How many steps the first band is decoded in. It takes most time, since it has most of the lower levels. The library
 * keeps the code blocks of a step for the next one, which extends it to the right, but computes its wavelet transform
 * again. In other bands it would drop code blocks that they share with the band before.
 */
static int32_t first_steps(const bands *b)
{
    const int32_t rows = b->sink->last - b->sink->first, columns = b->columns / CODE_BLOCK;
    int32_t steps = b->options->tiles > 1 ? 1 : (STEPS * CODE_BLOCK + rows / 2) / rows;
    steps = steps < MOST_STEPS ? steps : MOST_STEPS;
    steps = steps < columns ? steps : columns;
    return steps > 1 ? steps : 1;
}

/* Decodes and pushes the rows [top, bottom). */
static int push_band(bands *b, int32_t top, int32_t bottom)
{
    const spool_jp2_options *o = b->options;
    spool_jp2_codec *c = &b->codec;
    spool_jp2_plane planes[SPOOL_JP2_COMPONENTS];
    const int32_t steps = top == b->sink->first ? first_steps(b) : 1;
    area a = {0};
    for (int32_t i = 1; i <= steps; i++) {
        if (spool_cancelled(c->source.flag))
            return SPOOL_CANCELLED;
        a = area_of(o, b->left, top, step_end(b, i, steps), bottom);
        if (!opj_set_decode_area(c->codec, c->image, a.left, a.top, a.right, a.bottom) ||
            !opj_decode(c->codec, c->stream, c->image))
            return SPOOL_JP2_FAILED;
    }
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
        bottom = band_end(b, top);
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
