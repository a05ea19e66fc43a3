#include "tiles.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A row of tiles as pixels. Its memory is freed when the complete row has been pushed. */
typedef struct {
    uint8_t *pixels;
    int32_t decoded; /* tiles */
} tile_row;

typedef struct {
    spool_jp2_codec *codec;
    const spool_jp2_options *options;
    spool_sink *sink;
    int32_t width;        /* of the image */
    int32_t first_column; /* the wanted columns of tiles: [first_column, last_column) */
    int32_t last_column;  /* */
    int32_t first_row;    /* the wanted rows of tiles: [first_row, last_row) */
    int32_t last_row;     /* */
    int32_t columns;      /* of tiles, in the image */
    int32_t tx, ty;       /* origin of the first tile */
    int32_t tdx, tdy;     /* the size of a tile */
    tile_row *rows;       /* of tiles, from first_row on */
    uint8_t *seen;        /* by tile: it has been decoded */
    int32_t next;         /* the row of tiles to push next */
    uint8_t *samples;     /* of a tile */
    size_t capacity;      /* bytes of samples */
} assembly;

typedef struct {
    uint32_t index, bytes, components;
    int32_t x0, y0, x1, y1;
} tile;

static int32_t top_of(const assembly *a, int32_t row)
{
    const int64_t top = (int64_t)a->ty + (int64_t)row * a->tdy;
    return top > a->options->top ? (int32_t)top : a->options->top;
}

static int32_t bottom_of(const assembly *a, int32_t row)
{
    const int64_t bottom = (int64_t)a->ty + ((int64_t)row + 1) * a->tdy;
    return bottom < a->options->bottom ? (int32_t)bottom : a->options->bottom;
}

/* Pushes the complete rows of tiles in order. Returns SPOOL_SINK_ENOUGH after the last row, or if the sink is full. */
static int push(assembly *a)
{
    const size_t stride = (size_t)a->width * spool_jp2_pixel(a->options);
    while (a->next < a->last_row) {
        tile_row *row = &a->rows[a->next - a->first_row];
        if (row->decoded < a->last_column - a->first_column)
            return SPOOL_JP2_OK;
        const int32_t top = top_of(a, a->next) - a->options->top, bottom = bottom_of(a, a->next) - a->options->top;
        const int32_t first = top > a->sink->first ? top : a->sink->first;
        const int32_t last = bottom < a->sink->last ? bottom : a->sink->last;
        const int code =
            a->sink->push(a->sink, row->pixels + (size_t)(first - top) * stride, (ptrdiff_t)stride, last - first);
        if (code < 0)
            return SPOOL_JP2_SINK;
        a->codec->report->rows += last - first;
        free(row->pixels);
        row->pixels = NULL;
        a->next++;
        if (code == SPOOL_SINK_ENOUGH)
            return SPOOL_SINK_ENOUGH;
    }
    return SPOOL_SINK_ENOUGH;
}

/* Describes the samples of a tile; 0 if a component has none, or if the library gives too few bytes. */
static int describe(const assembly *a, const tile *t, spool_jp2_plane *planes)
{
    const spool_jp2_options *o = a->options;
    size_t at = 0;
    for (int i = 0; i < o->count; i++) {
        const spool_jp2_component *c = &o->components[i];
        spool_jp2_plane *p = &planes[i];
        *p = (spool_jp2_plane){
            .bytes = c->bits <= 8    ? 1
                     : c->bits <= 16 ? 2
                                     : 4,
            .left = spool_jp2_ceildiv(t->x0, c->dx),
            .top = spool_jp2_ceildiv(t->y0, c->dy),
            .right = spool_jp2_ceildiv(t->x1, c->dx),
            .bottom = spool_jp2_ceildiv(t->y1, c->dy),
        };
        if (p->left >= p->right || p->top >= p->bottom)
            return 0;
        p->samples = a->samples + at;
        at += (size_t)(p->right - p->left) * (size_t)(p->bottom - p->top) * (size_t)p->bytes;
    }
    return at <= t->bytes;
}

/* Allocates memory for the samples of a tile. It is zeroed because the library does not always write all samples. */
static int reserve(assembly *a, size_t bytes)
{
    if (bytes > a->capacity) {
        free(a->samples);
        a->samples = malloc(bytes);
        a->capacity = a->samples == NULL ? 0 : bytes;
    }
    if (a->samples == NULL)
        return 0;
    memset(a->samples, 0, bytes);
    return 1;
}

/* Decodes the tile whose header was read. */
static int decode_tile(assembly *a, const tile *t)
{
    const spool_jp2_options *o = a->options;
    const int32_t row = (int32_t)t->index / a->columns, column = (int32_t)t->index % a->columns;
    spool_jp2_plane planes[SPOOL_JP2_COMPONENTS];
    if (t->components != (uint32_t)o->count || t->x0 < o->left || t->y0 != top_of(a, row) || t->x1 > o->right ||
        t->y1 != bottom_of(a, row) || t->x0 >= t->x1 || t->y0 >= t->y1 || a->seen[t->index])
        return SPOOL_JP2_CHANGED;
    if (!reserve(a, t->bytes))
        return SPOOL_JP2_MEMORY;
    if (!describe(a, t, planes))
        return SPOOL_JP2_CHANGED;
    if (!opj_decode_tile_data(a->codec->codec, t->index, a->samples, t->bytes, a->codec->stream))
        return SPOOL_JP2_FAILED;
    a->seen[t->index] = 1;
    if (row < a->first_row || row >= a->last_row || column < a->first_column || column >= a->last_column)
        return SPOOL_JP2_OK;

    tile_row *to = &a->rows[row - a->first_row];
    const size_t pixel = spool_jp2_pixel(o), stride = (size_t)a->width * pixel;
    if (to->pixels == NULL)
        to->pixels = calloc((size_t)(t->y1 - t->y0), stride);
    if (to->pixels == NULL)
        return SPOOL_JP2_MEMORY;
    uint8_t *out = to->pixels + (size_t)(t->x0 - o->left) * pixel;
    for (int32_t y = t->y0; y < t->y1; y++, out += stride)
        spool_jp2_convert(o, planes, t->x0 - o->left, y - o->top, t->x1 - t->x0, out);
    to->decoded++;
    return push(a);
}

static int assemble(assembly *a)
{
    spool_jp2_codec *c = a->codec;
    for (int code = SPOOL_JP2_OK; code == SPOOL_JP2_OK;) {
        tile t = {0};
        OPJ_BOOL more = OPJ_FALSE;
        if (spool_cancelled(c->source.flag))
            return SPOOL_CANCELLED;
        if (!opj_read_tile_header(c->codec, c->stream, &t.index, &t.bytes, &t.x0, &t.y0, &t.x1, &t.y1, &t.components,
                                  &more))
            return SPOOL_JP2_FAILED;
        if (!more)
            return SPOOL_JP2_MISSING;
        code = decode_tile(a, &t);
        if (code == SPOOL_SINK_ENOUGH)
            return SPOOL_JP2_OK;
        if (code != SPOOL_JP2_OK)
            return code;
    }
    return SPOOL_JP2_OK;
}

/* Selects the tiles that hold the rows and columns that the sink wants. */
static int choose(assembly *a)
{
    const spool_jp2_options *o = a->options;
    const spool_sink *sink = a->sink;
    const int32_t left = o->left + sink->left, right = sink->right > 0 ? o->left + sink->right : o->right;
    const int32_t top = o->top + sink->first, bottom = o->top + sink->last;
    a->first_column = (left - a->tx) / a->tdx;
    a->last_column = (right - 1 - a->tx) / a->tdx + 1;
    a->first_row = a->next = (top - a->ty) / a->tdy;
    a->last_row = (bottom - 1 - a->ty) / a->tdy + 1;
    return opj_set_decode_area(a->codec->codec, a->codec->image, left, top, right, bottom);
}

int spool_jp2_tiles(spool_jp2_codec *codec, const spool_jp2_options *o, spool_sink *sink)
{
    opj_codestream_info_v2_t *info = opj_get_cstr_info(codec->codec);
    if (info == NULL)
        return SPOOL_JP2_MEMORY;
    assembly a = {
        .codec = codec, .options = o, .sink = sink, .width = o->right - o->left, .columns = (int32_t)info->tw};
    const int32_t tiles = (int32_t)(info->tw * info->th);
    const uint32_t widest = info->tdx < INT_MAX ? info->tdx : INT_MAX,
                   highest = info->tdy < INT_MAX ? info->tdy : INT_MAX;
    a.tx = (int32_t)info->tx0;
    a.ty = (int32_t)info->ty0;
    a.tdx = (int32_t)widest;
    a.tdy = (int32_t)highest;
    opj_destroy_cstr_info(&info);

    int code = choose(&a) ? SPOOL_JP2_MEMORY : SPOOL_JP2_FAILED;
    const int32_t rows = a.last_row - a.first_row;
    a.rows = calloc((size_t)rows, sizeof *a.rows);
    a.seen = calloc((size_t)tiles, 1);
    if (code == SPOOL_JP2_MEMORY && a.rows != NULL && a.seen != NULL)
        code = assemble(&a);
    for (int32_t i = 0; a.rows != NULL && i < rows; i++)
        free(a.rows[i].pixels);
    free(a.rows);
    free(a.seen);
    free(a.samples);
    return code;
}
