/*
 * Planes to RGB rows of another size: every plane is resized at its own resolution, by an engine of one
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

/* Converts and pushes the rows that all planes have. */
static int combine(spool_resampler *r)
{
    int32_t ready = r->engine[0]->done;
    int answer = SPOOL_SINK_MORE;

    for (int k = 1; k < 3; k++)
        if (r->engine[k]->done < ready)
            ready = r->engine[k]->done;
    while (r->done < ready && answer == SPOOL_SINK_MORE) {
        ptrdiff_t stride;
        int n;
        uint8_t *lent = r->next->lend(r->next, &stride, &n);
        if (lent == NULL)
            break;
        if (n > ready - r->done)
            n = ready - r->done;
        for (int i = 0; i < n; i++, r->done++) {
            const size_t at = (size_t)r->done * r->width;
            r->convert(r->result[0] + at, r->result[1] + at, r->result[2] + at, (size_t)r->width, lent + i * stride);
        }
        answer = r->next->push(r->next, lent, stride, n);
    }
    return answer;
}

static int push(spool_planes *planes, const spool_band *band)
{
    spool_resampler *r = (spool_resampler *)planes;
    const uint8_t *const plane[3] = {band->y, band->u, band->v};
    const int32_t end = r->rows[0] + band->rows;

    if (band->rows < 0 || end > planes->last || (band->rows % r->plan.v && end < r->plan.height))
        return SPOOL_SINK_ERROR;
    for (int k = 0; k < 3; k++) {
        const int32_t step = k == 0 ? 1 : r->plan.v, n = (band->rows + step - 1) / step;
        if (feed(r->engine[k], plane[k], k == 0 ? band->y_stride : band->uv_stride, r->rows[k], n) < 0)
            return SPOOL_SINK_ERROR;
        r->rows[k] += n;
    }
    return combine(r);
}

void spool_resampler_init(spool_resampler *r, const spool_planes_plan *plan, int level, spool_engine *const engine[3],
                          spool_sink *next)
{
    int32_t first = plan->height, last = 0;

    *r = (spool_resampler){.convert = spool_planes_kernels_at(level)->convert[plan->rule], .plan = *plan, .next = next};
    for (int k = 0; k < 3; k++) {
        const int32_t step = k == 0 ? 1 : plan->v;
        r->engine[k] = engine[k];
        r->result[k] = engine[k]->dst;
        if (engine[k]->sink.first * step < first)
            first = engine[k]->sink.first * step;
        if (engine[k]->sink.last * step > last)
            last = engine[k]->sink.last * step;
    }
    r->width = engine[0]->plan.canvas_width;
    first = first / plan->v * plan->v;
    last = (last + plan->v - 1) / plan->v * plan->v;
    r->planes = (spool_planes){push, first, last < plan->height ? last : plan->height};
    for (int k = 0; k < 3; k++)
        r->rows[k] = k == 0 ? first : first / plan->v;
}
