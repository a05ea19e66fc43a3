/*
 * Regular files, which are nearly all: inflated in one piece; then rows are unfiltered and delivered while in the
 * cache.
 */
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "frame.h"
#include "inflate.h"

enum {
    STRIP = 16,      /* rows to unfilter and deliver together */
    STEP = 64 << 10, /* bytes to inflate between two polls of the flag: about 100 us */
};

/*
 * The inflated image. Each row is preceded by the byte of its filter. Memory begins with the row above the first one.
 */
typedef struct {
    uint8_t *memory;
    uint8_t *first; /* row */
    size_t row, stride;
    int bottom; /* rows from here on are not inflated */
} inflated;

/* Whether zlib's window would cover all distances: the inflater ignores the window size that a stream declares. */
static int is_window_enough(const spool_png_stream *stream, size_t bytes)
{
    const size_t window = stream->size > 0 ? (size_t)1 << ((stream->data[0] >> 4) + 8) : 0;
    return window >= 32768 || window >= bytes;
}

/* Runs the inflater up to `wanted`, in steps. Returns its status, or SPOOL_CANCELLED. */
static int inflate_steps(spool_inflater *inflater, uint8_t *wanted, const int32_t *flag)
{
    int status = SPOOL_INFLATE_MORE;
    while (status == SPOOL_INFLATE_MORE && (inflater->out < wanted || wanted == inflater->end)) {
        if (spool_cancelled(flag))
            return SPOOL_CANCELLED;
        status = spool_inflate_run(inflater, wanted - inflater->out > STEP ? inflater->out + STEP : wanted);
    }
    return status;
}

/* Inflates the rows. If rows at the bottom are not wanted, data after the last wanted row are not checked. */
static int inflate_rows(spool_png_frame *frame, const spool_png_stream *stream, inflated *rows)
{
    const size_t whole = rows->stride * frame->image->height, wanted = rows->stride * rows->bottom;
    const size_t space = whole - wanted > SPOOL_INFLATE_BEYOND ? wanted + SPOOL_INFLATE_BEYOND : whole;
    spool_inflater *inflater;
    if (!is_window_enough(stream, whole))
        return SPOOL_PNG_PASS;
    /* Slack, a row of zeros above the first one, the rows, slack. */
    rows->memory = malloc(SPOOL_PNG_SLACK + rows->stride + space + SPOOL_PNG_SLACK);
    if (rows->memory == NULL || (inflater = malloc(sizeof *inflater)) == NULL)
        return SPOOL_PNG_NO_MEMORY;
    memset(rows->memory, 0, SPOOL_PNG_SLACK + rows->stride);
    memset(rows->memory + SPOOL_PNG_SLACK + rows->stride + space, 0, SPOOL_PNG_SLACK);
    uint8_t *start = rows->memory + SPOOL_PNG_SLACK + rows->stride;
    rows->first = start + 1;
    spool_inflate_init(inflater, stream->data, stream->size, start, space);
    const int status = inflate_steps(inflater, start + wanted, frame->flag);
    const size_t behind = inflater->in_end - inflater->in;
    free(inflater);
    if (status == SPOOL_CANCELLED)
        return status;
    if (status == SPOOL_INFLATE_DONE && wanted == whole && behind > 0)
        spool_png_warn(frame->report, "%zu bytes after the compressed data", behind);
    return status == (wanted == whole ? SPOOL_INFLATE_DONE : SPOOL_INFLATE_MORE) ? SPOOL_PNG_OK : SPOOL_PNG_PASS;
}

static int filter_of(const inflated *rows, int y)
{
    return rows->first[(size_t)y * rows->stride - 1];
}

static int are_filters_known(const inflated *rows)
{
    for (int y = 0; y < rows->bottom; y++)
        if (filter_of(rows, y) >= SPOOL_PNG_FILTERS)
            return 0;
    return 1;
}

static int deliver_rows(spool_png_frame *frame, const inflated *rows)
{
    const spool_png_image *image = frame->image;
    const int bits = spool_png_pixel_bits(image->color, image->depth), distance = bits < 8 ? 1 : bits / 8;
    spool_png_unfilter *unfilter = spool_png_filter_at(spool_png_filter_levels() - 1);
    int y = frame->sink->first < rows->bottom ? frame->sink->first : 0;
    while (y > 0 && filter_of(rows, y) > SPOOL_PNG_SUB) /* None and Sub need no row above */
        y--;
    frame->next = y;
    while (y < rows->bottom && !frame->enough) {
        const int n = rows->bottom - y < STRIP ? rows->bottom - y : STRIP;
        uint8_t *row = rows->first + (size_t)y * rows->stride;
        if (spool_cancelled(frame->flag))
            return SPOOL_CANCELLED;
        unfilter(row, rows->stride, n, rows->row, distance);
        const int status = spool_png_deliver(frame, row, (ptrdiff_t)rows->stride, n);
        if (status != SPOOL_PNG_OK)
            return status;
        y += n;
    }
    return SPOOL_PNG_OK;
}

/* Whether the image may be inflated in one piece. */
static int is_affordable(const spool_png_frame *frame, const spool_png_extent *extent, const inflated *rows)
{
    const int64_t most = frame->options->max_inflated < frame->options->max_memory ? frame->options->max_inflated
                                                                                   : frame->options->max_memory;
    const size_t copy = spool_png_stream_bytes(extent);
    return rows->stride < (size_t)most / ((size_t)frame->image->height + 1) &&
           copy + rows->stride * ((size_t)frame->image->height + 1) + SPOOL_INFLATE_BEYOND <= (size_t)most;
}

int spool_png_read_regular(spool_png_frame *frame, const spool_png_extent *extent)
{
    const size_t row = spool_png_row_bytes(frame->image);
    inflated rows = {.row = row, .stride = row + 1, .bottom = frame->sink->last};
    spool_png_stream stream;
    if (frame->image->interlaced || extent->cut.at != 0 || !is_affordable(frame, extent, &rows))
        return SPOOL_PNG_PASS;
    if (spool_cancelled(frame->flag))
        return SPOOL_CANCELLED;
    int status = spool_png_gather(frame, extent, &stream);
    if (status == SPOOL_PNG_OK)
        status = stream.intact ? inflate_rows(frame, &stream, &rows) : SPOOL_PNG_PASS;
    free(stream.copy);
    if (status == SPOOL_PNG_OK)
        status = are_filters_known(&rows) ? deliver_rows(frame, &rows) : SPOOL_PNG_PASS;
    free(rows.memory);
    return status;
}
