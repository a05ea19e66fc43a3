/* The functions of the sink: they lend memory for rows, and process pushed rows in groups. */
#include "engine.h"

#include <string.h>

/* Processes n rows. Row `copied` of them is at the beginning of the block, followed by slack. */
static void work(spool_engine *e, const uint8_t *rows, ptrdiff_t stride, int n, int copied)
{
    const uint8_t *row[SPOOL_GROUP];

    for (int i = 0; i < n; i += SPOOL_GROUP) {
        int group = n - i < SPOOL_GROUP ? n - i : SPOOL_GROUP;
        for (int k = 0; k < group; k++)
            row[k] = i + k == copied ? e->block : rows + (i + k) * stride;
        spool_engine_work(e, row, group);
    }
}

/* Processes the pending rows of the block. */
static void flush(spool_engine *e)
{
    int n = e->pending;
    e->pending = 0;
    work(e, e->block, (ptrdiff_t)e->block_stride, n, -1);
}

static void copy_rows(uint8_t *to, size_t to_stride, const uint8_t *from, ptrdiff_t from_stride, size_t bytes, int n)
{
    for (int i = 0; i < n; i++)
        if (to + i * to_stride != from + i * from_stride)
            memcpy(to + i * to_stride, from + i * from_stride, bytes);
}

static int32_t rows_wanted(const spool_engine *e)
{
    return e->sink.last - e->plan.top - e->row - e->pending;
}

/* The bytes of a pushed row. */
static size_t row_bytes(const spool_engine *e)
{
    return (size_t)e->plan.width * e->pushed_pixel;
}

/* The bytes from one row of an interleaved output to the next. */
static ptrdiff_t output_stride(const spool_engine *e)
{
    return (ptrdiff_t)e->plan.canvas_width * e->plan.out_channels * e->elem;
}

void spool_engine_begin(spool_engine *e, uint8_t *dst)
{
    e->dst = dst;
    e->row = e->vertical.taps ? e->vertical.start[0] : 0;
    e->done = e->pending = e->tall_rows = 0;
    spool_store_padding(e);
}

uint8_t *spool_engine_lend(spool_sink *sink, ptrdiff_t *stride, int *rows)
{
    spool_engine *e = (spool_engine *)sink;
    int32_t wanted = rows_wanted(e);

    if (wanted == 0)
        return NULL;
    if (e->direct) {
        *stride = output_stride(e);
        *rows = spool_min(wanted, SPOOL_BLOCK_ROWS);
        return spool_store_room(e, e->done);
    }
    *stride = (ptrdiff_t)e->block_stride;
    *rows = spool_min(e->block_rows - e->pending, wanted);
    return e->block + e->pending * e->block_stride;
}

/* Processes rows in the caller's memory: in place if they are large enough, otherwise by copies to the block. */
static void take_foreign(spool_engine *e, const uint8_t *rows, ptrdiff_t stride, int n)
{
    const size_t bytes = row_bytes(e);
    const size_t distance = (size_t)(stride < 0 ? -stride : stride);

    if (n >= SPOOL_GROUP && bytes >= SPOOL_SLACK && distance >= bytes) {
        /* Another row follows each row in memory, except the last row. */
        int last = stride > 0 ? n - 1 : 0;
        flush(e);
        memcpy(e->block, rows + last * stride, bytes);
        work(e, rows, stride, n, last);
        return;
    }
    while (n > 0) {
        int some = spool_min(e->block_rows - e->pending, n);
        copy_rows(e->block + e->pending * e->block_stride, e->block_stride, rows, stride, bytes, some);
        e->pending += some;
        if (e->pending == e->block_rows)
            flush(e);
        rows += some * stride;
        n -= some;
    }
}

int spool_engine_push(spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n)
{
    spool_engine *e = (spool_engine *)sink;
    const int32_t wanted = rows_wanted(e);

    if (n < 0 || (n > 0 && !rows))
        return SPOOL_SINK_ERROR;
    n = spool_min(n, wanted);
    if (e->direct) {
        if (n > 0)
            copy_rows(spool_store_room(e, e->done), (size_t)output_stride(e), rows, stride, row_bytes(e), n);
        e->row += n;
        e->done += n;
    } else if (rows == e->block + e->pending * e->block_stride && (stride == (ptrdiff_t)e->block_stride || n <= 1) &&
               n <= e->block_rows - e->pending) {
        e->pending += n;
    } else if (n < wanted || e->pending > 0 || !spool_engine_whole(e, rows, stride)) {
        take_foreign(e, rows, stride, n);
    }
    if (e->pending > 0 && (e->pending == e->block_rows || n == wanted))
        flush(e);
    return n == wanted ? SPOOL_SINK_ENOUGH : SPOOL_SINK_MORE;
}

void spool_engine_fill(spool_engine *e, const uint8_t color[3])
{
    const int channels = e->plan.channels;
    uint8_t pixel[4] = {color[0], color[1], color[2], 255}, *lent;
    uint16_t words[4];
    ptrdiff_t stride;
    int rows;

    if (channels == 1)
        spool_kernels_scalar.bytes.gray(color, pixel, 1);
    for (int c = 0; c < channels; c++)
        words[c] = pixel[c] * 257;
    while ((lent = e->sink.lend(&e->sink, &stride, &rows))) {
        for (int y = 0; y < rows; y++)
            for (int32_t x = 0; x < e->plan.width; x++)
                memcpy(lent + y * stride + (size_t)x * e->pushed_pixel, e->plan.words ? (void *)words : pixel,
                       e->pushed_pixel);
        e->sink.push(&e->sink, lent, stride, rows);
    }
}
