/*
 * Converts planes to rows of another size: an engine of one channel resizes every plane at its own resolution, and only
 * the pixels of the result are converted.
 */
#include "planes_engine.h"

/* Rows of one plane in memory, which may be interleaved chroma. */
typedef struct {
    const uint8_t *at;
    ptrdiff_t stride;
    int32_t first, n; /* the range of rows */
} plane_rows;

/* Skips the rows above those that an engine wants; no rows may remain. */
static plane_rows wanted(const spool_engine *e, plane_rows rows)
{
    const int32_t above = spool_min(spool_max(e->sink.first - rows.first, 0), rows.n);
    return (plane_rows){rows.at + above * rows.stride, rows.stride, rows.first + above, rows.n - above};
}

/* Pushes the wanted rows into an engine, directly from their memory. */
static int feed(spool_engine *e, plane_rows rows)
{
    rows = wanted(e, rows);
    return rows.n == 0 ? SPOOL_SINK_MORE : e->sink.push(&e->sink, rows.at, rows.stride, rows.n);
}

/* Unpacks rows into memory that the engine lends, and pushes them. */
static int feed_unpacked(const spool_resampler *r, spool_engine *e, plane_rows rows)
{
    const size_t left = (size_t)e->sink.left, columns = (size_t)(e->sink.right - e->sink.left);
    int answer = SPOOL_SINK_MORE;

    for (rows = wanted(e, rows); rows.n > 0 && answer == SPOOL_SINK_MORE;) {
        ptrdiff_t stride;
        int n;
        uint8_t *lent = e->sink.lend(&e->sink, &stride, &n);
        if (lent == NULL)
            return SPOOL_SINK_ENOUGH;
        n = spool_min(n, rows.n);
        for (int i = 0; i < n; i++, rows.at += rows.stride)
            r->unpack(rows.at + left * 2, columns, r->plan.shift, lent + i * stride + left * r->sample);
        rows.n -= n;
        answer = e->sink.push(&e->sink, lent, stride, n);
    }
    return answer;
}

/* The same for the two engines of interleaved chroma, which have the same plan. */
static int feed_split(const spool_resampler *r, plane_rows rows)
{
    spool_sink *first = &r->engine[1 + r->plan.swapped]->sink, *second = &r->engine[2 - r->plan.swapped]->sink;
    const size_t left = (size_t)first->left, columns = (size_t)(first->right - first->left);
    const size_t skipped = left * 2 * (r->plan.words ? 2 : 1);
    int answer = SPOOL_SINK_MORE;

    for (rows = wanted(r->engine[1], rows); rows.n > 0 && answer == SPOOL_SINK_MORE;) {
        ptrdiff_t stride, beside;
        int n;
        uint8_t *lent = first->lend(first, &stride, &n), *other = second->lend(second, &beside, &n);
        if (lent == NULL || other == NULL)
            return SPOOL_SINK_ENOUGH;
        n = spool_min(n, rows.n);
        for (int i = 0; i < n; i++, rows.at += rows.stride)
            r->split(rows.at + skipped, columns, r->plan.shift, lent + i * stride + left * r->sample,
                     other + i * beside + left * r->sample);
        rows.n -= n;
        answer = first->push(first, lent, stride, n);
        if (answer >= 0)
            answer = second->push(second, other, beside, n);
    }
    return answer;
}

static int feed_plane(const spool_resampler *r, int k, plane_rows rows)
{
    if (k > 0 && r->split)
        return k == 1 ? feed_split(r, rows) : SPOOL_SINK_MORE;
    return r->unpack ? feed_unpacked(r, r->engine[k], rows) : feed(r->engine[k], rows);
}

/* Converts the next rows into lent memory or, for gray, pushes them from their memory. */
static int push_rows(spool_resampler *r, int ready)
{
    const size_t row = (size_t)r->width * r->sample, at = r->done * row;
    ptrdiff_t stride;
    int n;

    if (r->plan.gray && !r->expand) {
        n = ready - r->done;
        r->done = ready;
        return r->next->push(r->next, r->result[0] + at, (ptrdiff_t)row, n);
    }
    uint8_t *lent = r->next->lend(r->next, &stride, &n);
    if (lent == NULL)
        return SPOOL_SINK_ENOUGH;
    n = spool_min(n, ready - r->done);
    for (int i = 0; i < n; i++) {
        const size_t from = at + i * row, width = (size_t)r->width;
        if (r->expand)
            r->expand(r->result[0] + from, width, &r->plan.color, lent + i * stride);
        else
            r->convert(r->result[0] + from, r->result[1] + from, r->result[2] + from, width, &r->plan.color,
                       lent + i * stride);
    }
    r->done += n;
    return r->next->push(r->next, lent, stride, n);
}

/* Pushes the rows that are complete in all planes, without those that wait for a horizontal pass. */
static int combine(spool_resampler *r)
{
    int32_t ready = r->engine[0]->plan.vertical.out;
    int answer = SPOOL_SINK_MORE;

    for (int k = 0; k < r->count; k++)
        ready = spool_min(ready, r->engine[k]->done - r->engine[k]->tall_rows);
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
        const plane_rows rows = {plane[k], k == 0 ? band->y_stride : band->uv_stride, r->rows[k], n};
        if (feed_plane(r, k, rows) < 0)
            return SPOOL_SINK_ERROR;
        r->rows[k] += n;
    }
    return combine(r);
}

/* Extends a range of luma to the range that the sink of a plane reads. A sample of this plane is `step` luma wide. */
static void join(int32_t range[2], int32_t first, int32_t last, int32_t step)
{
    range[0] = spool_min(range[0], first * step);
    range[1] = spool_max(range[1], last * step);
}

/* Selects the kernels that convert samples from memory, and those that convert resized samples. */
static void choose(spool_resampler *r, const spool_planes_kernels *kernels)
{
    const spool_planes_plan *p = &r->plan;

    r->convert = p->deep ? kernels->convert_words : kernels->convert[p->rule];
    if (p->expand)
        r->expand = p->deep ? kernels->expand_words : kernels->expand;
    if (p->words && (!p->deep || p->shift > 0))
        r->unpack = p->deep ? kernels->raise : kernels->reduce;
    if (p->pairs)
        r->split = p->deep ? kernels->split_raised : p->words ? kernels->split_reduced : kernels->split;
}

/* The rows of the planes that are pushed before the first wanted row. */
static void begin_rows(spool_resampler *r)
{
    r->done = 0;
    for (int k = 0; k < r->count; k++)
        r->rows[k] = k == 0 ? r->planes.first : r->planes.first / r->plan.v;
}

int spool_resampler_open(spool_resampler *r, const spool_planes_plan *plan, int level, int passes, spool_sink *next,
                         spool_plane_engine y, spool_plane_engine u, spool_plane_engine v)
{
    const spool_plane_engine *const work[3] = {&y, &u, &v};
    int32_t rows[2] = {plan->height, 0}, columns[2] = {plan->width, 0};

    *r = (spool_resampler){.plan = *plan, .next = next, .sample = plan->deep ? 2 : 1, .count = plan->gray ? 1 : 3};
    choose(r, spool_planes_kernels_at(level));
    for (int k = 0; k < r->count; k++) {
        const spool_plane_engine *w = work[k];
        spool_engine *engine = spool_engine_open(w->memory, w->bytes, &w->plan, passes, w->dst, w->across, w->down);
        if (engine == NULL)
            return 0;
        r->engine[k] = engine;
        r->result[k] = engine->dst;
        join(rows, engine->sink.first, engine->sink.last, k == 0 ? 1 : plan->v);
        join(columns, engine->sink.left, engine->sink.right, k == 0 ? 1 : plan->h);
    }
    r->width = r->engine[0]->plan.canvas_width;
    r->planes = (spool_planes){.push = push,
                               .first = rows[0] / plan->v * plan->v,
                               .last = spool_min((rows[1] + plan->v - 1) / plan->v * plan->v, plan->height),
                               .left = columns[0],
                               .right = spool_min(columns[1], plan->width),
                               .width = plan->width,
                               .height = plan->height,
                               .h = plan->h,
                               .v = plan->v,
                               .planes = r->count - plan->pairs,
                               .bytes = plan->words ? 2 : 1};
    begin_rows(r);
    return 1;
}

spool_engine *spool_resampler_open_before(spool_resampler *r, const spool_planes_plan *plan, int level, int passes,
                                          spool_plane_engine rows, spool_plane_engine y, spool_plane_engine u,
                                          spool_plane_engine v)
{
    spool_engine *next =
        spool_engine_open(rows.memory, rows.bytes, &rows.plan, passes, rows.dst, rows.across, rows.down);
    if (next == NULL || !spool_resampler_open(r, plan, level, passes, &next->sink, y, u, v))
        return NULL;
    return next;
}

void spool_resampler_begin(spool_resampler *r, spool_engine *next, uint8_t *dst)
{
    spool_engine_begin(next, dst);
    r->next = &next->sink;
    for (int k = 0; k < r->count; k++)
        spool_engine_begin(r->engine[k], r->engine[k]->dst);
    begin_rows(r);
}
