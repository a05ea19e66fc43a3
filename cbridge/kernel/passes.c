/* The passes: process groups of rows from intake to store. */
#include <string.h>

#include "engine.h"

/* A kernel takes whole groups: the last row replaces missing rows. */
static void complete_group(const uint8_t *row[SPOOL_GROUP], uint8_t *out[SPOOL_GROUP], int n)
{
    for (int i = n; i < SPOOL_GROUP; i++) {
        row[i] = row[n - 1];
        out[i] = out[n - 1];
    }
}

/* Runs the horizontal pass over the rows that the vertical pass left: a group, or the image's last rows. */
static void finish_tall(spool_engine *e)
{
    const uint8_t *row[SPOOL_GROUP];
    uint8_t *out[SPOOL_GROUP];
    const int n = e->tall_rows;
    const int32_t first = e->done - n;

    for (int i = 0; i < n; i++) {
        row[i] = e->tall + i * e->tall_stride;
        out[i] = spool_store_room(e, first + i);
    }
    complete_group(row, out, n);
    e->depth->horizontal(&e->horizontal, e->channels, row, out);
    for (int i = 0; i < n; i++)
        spool_store_row(e, out[i], first + i);
    e->tall_rows = 0;
}

/* Memory for the next row that the vertical pass completes. */
static uint8_t *next_row(const spool_engine *e)
{
    return e->vertical_first ? e->tall + e->tall_rows * e->tall_stride : spool_store_room(e, e->done);
}

/* Passes on the row that the vertical pass has completed there. */
static void complete_row(spool_engine *e, const uint8_t *row)
{
    e->done++;
    if (!e->vertical_first)
        spool_store_row(e, row, e->done - 1);
    else if (++e->tall_rows == SPOOL_GROUP || e->done == e->vertical.out)
        finish_tall(e);
}

/* Completes all rows whose window is in the ring, which has just received n more rows. */
static void work_ring(spool_engine *e, int n)
{
    const spool_taps *v = &e->vertical;
    e->row += n;
    while (e->done < v->out && v->start[e->done] + v->taps <= e->row) {
        const uint8_t *const *window = e->window + v->start[e->done] % e->ring_rows;
        uint8_t *out = next_row(e);
        e->depth->vertical(v, e->done, window, out, e->between);
        complete_row(e, out);
    }
}

/* The weights of the group at e->row for output i. */
static spool_group_weights group_weights(const spool_engine *e, int32_t i, int n)
{
    const spool_taps *v = &e->vertical;
    spool_group_weights w = {.split = v->low != NULL};
    for (int k = 0; k < n; k++) {
        const int32_t tap = e->row + k - v->start[i];
        const size_t at = (size_t)i * v->stride + tap;
        if (tap < 0 || tap >= v->taps)
            continue;
        if (v->whole)
            w.whole[k] = v->whole[at];
        else
            w.high[k] = v->high[at];
        if (v->low)
            w.low[k] = v->low[at];
    }
    return w;
}

/* Adds n rows to the sums of all outputs that they contribute to, and completes those whose window ends here. */
static void work_sums(spool_engine *e, const uint8_t *const row[SPOOL_GROUP], int n)
{
    const spool_taps *v = &e->vertical;
    for (int32_t i = e->done; i < v->out && v->start[i] < e->row + n; i++) {
        const int begins = v->start[i] >= e->row, ends = v->start[i] + v->taps <= e->row + n;
        const spool_group_weights weights = group_weights(e, i, n);
        uint8_t *sums = e->sums + i % e->plan.vertical.overlap * e->sums_stride;

        e->depth->accumulate(row, &weights, begins ? v->precision : 0, sums, e->between);
        if (ends) { /* completes in order: all windows have the same length */
            uint8_t *out = next_row(e);
            e->depth->finish(sums, v->precision, out, e->between);
            complete_row(e, out);
        }
    }
    e->row += n;
}

int spool_engine_whole(spool_engine *e, const uint8_t *rows, ptrdiff_t stride)
{
    const spool_taps *v = &e->vertical;
    const uint8_t *window[SPOOL_WHOLE_TAPS + 1];
    const size_t bytes = e->between * e->sample;

    if (!e->vertical_first || v->taps > SPOOL_WHOLE_TAPS || e->converted[0] || bytes < SPOOL_SLACK ||
        e->row > v->start[0])
        return 0;
    rows += (ptrdiff_t)e->plan.left * e->pushed_pixel - v->start[0] * stride;
    while (e->done < v->out) {
        for (int32_t k = 0; k < v->taps; k++)
            window[k] = rows + (v->start[e->done] + k) * stride;
        window[v->taps] = window[v->taps - 1]; /* kernels read an even number */
        uint8_t *out = next_row(e);
        e->depth->vertical(v, e->done, window, out, e->between);
        complete_row(e, out);
    }
    e->row = v->start[v->out - 1] + v->taps;
    return 1;
}

void spool_engine_work(spool_engine *e, const uint8_t *row[SPOOL_GROUP], int n)
{
    uint8_t *to[SPOOL_GROUP] = {0}; /* the rows between the passes, or after the horizontal one alone */
    const int horizontal = e->horizontal.taps && !e->vertical_first;

    if (e->vertical.taps && e->vertical.start[e->done] >= e->row + n) { /* no window contains any of these rows */
        e->row += n;
        return;
    }
    spool_intake(e, row, n);
    for (int i = 0; i < n; i++)
        to[i] = e->ring ? e->ring + (e->row + i) % e->ring_rows * e->ring_stride : e->narrow + i * e->narrow_stride;
    complete_group(row, to, n);
    if (horizontal)
        e->depth->horizontal(&e->horizontal, e->channels, row, to);
    else if (e->ring)
        for (int i = 0; i < n; i++)
            memcpy(to[i], row[i], e->between * e->sample);

    if (e->ring) {
        work_ring(e, n);
    } else if (e->sums) {
        work_sums(e, horizontal ? (const uint8_t *const *)to : row, n);
    } else {
        e->row += n;
        for (int i = 0; i < n; i++, e->done++)
            spool_store_row(e, horizontal ? to[i] : row[i], e->done);
    }
}
