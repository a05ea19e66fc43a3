/* Rows on their way: from a decoder's push through both passes to the output. */
#include "engine.h"

#include <string.h>

/* Stores all output rows whose window has come. */
static void emit(spool_engine *e)
{
    const spool_plan *p = &e->plan;
    const spool_taps *v = &e->vertical;
    const int32_t width = p->horizontal.out;

    for (; e->done < v->out && v->start[e->done] + v->taps <= e->row; e->done++) {
        const uint8_t *const *window = e->window + v->start[e->done] % e->ring_rows;
        const int16_t *weights = v->weights + (size_t)e->done * v->stride;
        uint8_t *out = e->plain ? spool_store_at(e, p->x, p->y + e->done) : e->line;

        e->kernels->vertical(window, weights, v->taps, v->precision, out, (size_t)width * e->channels);
        if (!e->plain)
            spool_store(e, e->picture_map, out, p->x, p->y + e->done, width);
    }
}

/* Converts the used columns of n rows of a group, and leaves row[i] pointing to them. */
static void intake(spool_engine *e, const uint8_t *row[SPOOL_GROUP], int n)
{
    const spool_plan *p = &e->plan;
    const size_t columns = (size_t)(p->right - p->left);

    for (int i = 0; i < n; i++) {
        uint8_t *converted = e->converted + i * e->converted_stride;
        row[i] += (size_t)p->left * p->channels;
        switch (p->intake) {
        case SPOOL_INTAKE_NONE:
            continue;
        case SPOOL_INTAKE_DROP_ALPHA:
            e->kernels->remap(&e->intake_map, row[i], converted, columns);
            break;
        case SPOOL_INTAKE_BLEND:
            e->kernels->blend(row[i], p->background, converted, columns);
            break;
        case SPOOL_INTAKE_GRAY:
            e->kernels->gray(row[i], converted, columns);
            break;
        }
        row[i] = converted;
    }
}

/* Takes n rows, at most a group of them, all the way. */
static void work_group(spool_engine *e, const uint8_t *row[SPOOL_GROUP], int n)
{
    const spool_plan *p = &e->plan;
    uint8_t *narrow[SPOOL_GROUP] = {0};

    if (e->vertical.taps && e->vertical.start[e->done] >= e->row + n) { /* no window has any of them */
        e->row += n;
        return;
    }
    intake(e, row, n);
    for (int i = 0; i < n && e->ring; i++)
        narrow[i] = e->ring + (e->row + i) % e->ring_rows * e->ring_stride;
    for (int i = n; i < SPOOL_GROUP; i++) { /* kernels take whole groups: the last row is done again */
        row[i] = row[n - 1];
        narrow[i] = narrow[n - 1];
    }
    if (e->horizontal.taps)
        e->kernels->horizontal(&e->horizontal, e->channels, row, narrow);
    else if (e->vertical.taps)
        for (int i = 0; i < n; i++)
            memcpy(narrow[i], row[i], (size_t)p->horizontal.out * e->channels);
    e->row += n;
    if (e->vertical.taps)
        emit(e);
    else
        for (int i = 0; i < n; i++, e->done++)
            spool_store(e, e->picture_map, e->ring ? narrow[i] : row[i], p->x, p->y + e->done, p->horizontal.out);
}

/* Takes n rows; row `copied` of them lies at the beginning of the block, with slack behind it. */
static void work(spool_engine *e, const uint8_t *rows, ptrdiff_t stride, int n, int copied)
{
    const uint8_t *row[SPOOL_GROUP];

    for (int i = 0; i < n; i += SPOOL_GROUP) {
        int group = n - i < SPOOL_GROUP ? n - i : SPOOL_GROUP;
        for (int k = 0; k < group; k++)
            row[k] = i + k == copied ? e->block : rows + (i + k) * stride;
        work_group(e, row, group);
    }
}

/* Works on the rows that wait in the block. */
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

uint8_t *spool_engine_lend(spool_sink *sink, ptrdiff_t *stride, int *rows)
{
    spool_engine *e = (spool_engine *)sink;
    const spool_plan *p = &e->plan;
    int32_t wanted = rows_wanted(e);

    if (wanted == 0)
        return NULL;
    if (e->direct) {
        *stride = (ptrdiff_t)p->canvas_width * p->out_channels;
        *rows = wanted < SPOOL_BLOCK_ROWS ? wanted : SPOOL_BLOCK_ROWS;
        return spool_store_at(e, p->x, p->y + e->done);
    }
    *stride = (ptrdiff_t)e->block_stride;
    *rows = e->block_rows - e->pending < wanted ? e->block_rows - e->pending : wanted;
    return e->block + e->pending * e->block_stride;
}

/* Rows of foreign memory: where they lie if that is worth it, otherwise by way of the block. */
static void take_foreign(spool_engine *e, const uint8_t *rows, ptrdiff_t stride, int n)
{
    const size_t bytes = (size_t)e->plan.width * e->plan.channels;
    const size_t distance = (size_t)(stride < 0 ? -stride : stride);

    if (n >= SPOOL_GROUP && bytes >= SPOOL_SLACK && distance >= bytes) {
        /* What lies behind a row is the next one, except behind the row of the highest address. */
        int last = stride > 0 ? n - 1 : 0;
        flush(e);
        memcpy(e->block, rows + last * stride, bytes);
        work(e, rows, stride, n, last);
        return;
    }
    while (n > 0) {
        int some = e->block_rows - e->pending < n ? e->block_rows - e->pending : n;
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
    if (n > wanted)
        n = wanted;
    if (e->direct) {
        const size_t bytes = (size_t)e->plan.width * e->channels;
        copy_rows(spool_store_at(e, e->plan.x, e->plan.y + e->done), (size_t)e->plan.canvas_width * e->channels, rows,
                  stride, bytes, n);
        e->row += n;
        e->done += n;
    } else if (rows == e->block + e->pending * e->block_stride && (stride == (ptrdiff_t)e->block_stride || n <= 1) &&
               n <= e->block_rows - e->pending) {
        e->pending += n;
    } else {
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
    ptrdiff_t stride;
    int rows;

    if (channels == 1)
        spool_kernels_scalar.gray(color, pixel, 1);
    while ((lent = e->sink.lend(&e->sink, &stride, &rows))) {
        for (int y = 0; y < rows; y++)
            for (size_t x = 0; x < (size_t)e->plan.width; x++)
                memcpy(lent + y * stride + x * channels, pixel, channels);
        e->sink.push(&e->sink, lent, stride, rows);
    }
}
