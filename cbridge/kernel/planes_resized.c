/*
 * Planes to rows of another size: every plane is resized at its own resolution, by an engine of one
 * channel, and only the pixels of the result are converted.
 */
#include "planes_engine.h"

/* Gives an engine the rows [from, to) of its plane that it wants; rows begin at `first`. */
static int feed(spool_engine *e, const uint8_t *rows, ptrdiff_t stride, int32_t first, int32_t n)
{
    spool_sink *sink = &e->sink;
    const int32_t above = sink->first > first ? sink->first - first : 0;
    if (above >= n)
        return SPOOL_SINK_MORE;
    return sink->push(sink, rows + above * stride, stride, n - above);
}

/* Converts the next rows into memory that was lent, or, of gray, pushes them where they lie. */
static int push_rows(spool_resampler *r, int ready)
{
    const size_t at = (size_t)r->done * r->width;
    ptrdiff_t stride;
    int n;

    if (r->plan.gray) {
        n = ready - r->done;
        r->done = ready;
        return r->next->push(r->next, r->result[0] + at, r->width, n);
    }
    uint8_t *lent = r->next->lend(r->next, &stride, &n);
    if (lent == NULL)
        return SPOOL_SINK_ENOUGH;
    if (n > ready - r->done)
        n = ready - r->done;
    for (int i = 0; i < n; i++) {
        const size_t row = at + (size_t)i * r->width;
        r->convert(r->result[0] + row, r->result[1] + row, r->result[2] + row, (size_t)r->width, lent + i * stride);
    }
    r->done += n;
    return r->next->push(r->next, lent, stride, n);
}

/* Pushes the rows that all planes have. */
static int combine(spool_resampler *r)
{
    int32_t ready = r->engine[0]->done;
    int answer = SPOOL_SINK_MORE;

    for (int k = 1; k < r->count; k++)
        if (r->engine[k]->done < ready)
            ready = r->engine[k]->done;
    while (r->done < ready && answer == SPOOL_SINK_MORE)
        answer = push_rows(r, ready);
    return answer;
}

static int push(spool_planes *planes, const spool_band *band)
{
    spool_resampler *r = (spool_resampler *)planes;
    const uint8_t *const plane[3] = {band->y, band->u, band->v};
    const int32_t end = r->rows[0] + band->rows;

    if (band->rows < 0 || end > planes->last || (band->rows % r->plan.v && end < r->plan.height))
        return SPOOL_SINK_ERROR;
    for (int k = 0; k < r->count; k++) {
        const int32_t step = k == 0 ? 1 : r->plan.v, n = (band->rows + step - 1) / step;
        if (feed(r->engine[k], plane[k], k == 0 ? band->y_stride : band->uv_stride, r->rows[k], n) < 0)
            return SPOOL_SINK_ERROR;
        r->rows[k] += n;
    }
    return combine(r);
}

/* Widens a range of luma by what a plane's sink looks at, whose samples are `step` of luma wide. */
static void join(int32_t range[2], int32_t first, int32_t last, int32_t step)
{
    if (first * step < range[0])
        range[0] = first * step;
    if (last * step > range[1])
        range[1] = last * step;
}

void spool_resampler_init(spool_resampler *r, const spool_planes_plan *plan, int level, spool_engine *const engine[3],
                          spool_sink *next)
{
    int32_t rows[2] = {plan->height, 0}, columns[2] = {plan->width, 0};

    *r = (spool_resampler){.convert = spool_planes_kernels_at(level)->convert[plan->rule], .plan = *plan, .next = next};
    r->count = plan->gray ? 1 : 3;
    for (int k = 0; k < r->count; k++) {
        const spool_sink *sink = &engine[k]->sink;
        r->engine[k] = engine[k];
        r->result[k] = engine[k]->dst;
        join(rows, sink->first, sink->last, k == 0 ? 1 : plan->v);
        join(columns, sink->left, sink->right, k == 0 ? 1 : plan->h);
    }
    r->width = engine[0]->plan.canvas_width;
    rows[0] = rows[0] / plan->v * plan->v;
    rows[1] = (rows[1] + plan->v - 1) / plan->v * plan->v;
    r->planes =
        (spool_planes){push, rows[0], spool_min(rows[1], plan->height), columns[0], spool_min(columns[1], plan->width)};
    for (int k = 0; k < r->count; k++)
        r->rows[k] = k == 0 ? rows[0] : rows[0] / plan->v;
}
