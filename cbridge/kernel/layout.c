/* The layout of an engine's data in its one block of memory. */
#include <string.h>

#include "engine.h"

/* Allocates parts of the memory. With a null base it only counts bytes. */
typedef struct {
    uint8_t *base;
    size_t used;
} arena;

static void *carve(arena *a, size_t n)
{
    void *piece = a->base ? a->base + a->used : NULL;
    a->used += spool_round_up(n, SPOOL_ALIGN);
    return piece;
}

static void *carve_rows(arena *a, size_t rows, size_t bytes, size_t *stride)
{
    *stride = spool_row_stride(bytes);
    return carve(a, rows * *stride);
}

static void carve_taps(arena *a, spool_taps *taps, const spool_axis *axis, int words, int quads)
{
    size_t outputs = spool_round_up((size_t)axis->out, 4), weights;
    *taps = (spool_taps){.in = axis->in, .out = axis->out, .taps = axis->taps, .precision = axis->precision};
    if (axis->taps == 0)
        return;
    taps->stride = (int32_t)spool_round_up((size_t)axis->taps, 8);
    taps->start = carve(a, outputs * sizeof *taps->start);
    weights = outputs * taps->stride;
    if (words)
        taps->whole = carve(a, weights * sizeof *taps->whole);
    if (words && !axis->wide)
        taps->offset = carve(a, outputs * sizeof *taps->offset);
    if (!words || !axis->wide)
        taps->high = carve(a, weights * sizeof *taps->high);
    if (!words && axis->wide)
        taps->low = carve(a, weights * sizeof *taps->low);
    if (quads) {
        const size_t all = outputs / 4 * (size_t)((axis->taps + 1) / 2);
        taps->pairs = (axis->taps + 1) / 2;
        taps->shuffle = carve(a, all * 16);
        taps->quad = carve(a, all * 8 * sizeof *taps->quad);
    }
}

/* Derives the fields that follow from the plan. */
static void resolve(spool_engine *e)
{
    const spool_plan *p = &e->plan;
    const int as_is =
        !p->horizontal.taps && !p->vertical.taps && p->alpha == SPOOL_ALPHA_KEEP && !p->luma && !p->premultiply;

    e->channels = p->luma ? 1 : p->alpha == SPOOL_ALPHA_KEEP ? p->channels : 3;
    e->sample = p->words && p->type != SPOOL_UINT8 ? 2 : 1;
    e->pushed_pixel = p->channels * (p->words ? 2 : 1);
    e->elem = p->type == SPOOL_UINT8 ? 1 : p->type == SPOOL_FLOAT32 ? 4 : 2;
    e->plain = (e->sample == 1 ? p->type == SPOOL_UINT8 : p->type == SPOOL_UINT16) && !p->planar && !p->swap &&
               e->channels == p->out_channels;
    e->direct = e->plain && as_is && e->sample * p->channels == e->pushed_pixel && p->left == 0 &&
                p->right == p->width && !p->transpose && !p->upward;
    e->vertical_first = p->vertical_first && p->horizontal.taps && p->vertical.taps;
    e->between = (size_t)(e->vertical_first ? p->horizontal.in : p->horizontal.out) * e->channels;
}

static void carve_block(spool_engine *e, arena *a)
{
    const size_t bytes = (size_t)e->plan.width * e->pushed_pixel;
    e->block_rows = spool_min(spool_block_rows(bytes), e->plan.vertical.in);
    e->block = carve_rows(a, e->block_rows, bytes, &e->block_stride);
    carve(a, SPOOL_BLOCK_OFFSET);
    if (e->block)
        e->block += SPOOL_BLOCK_OFFSET;
}

/* Windows are kept as a ring of rows if the ring is small, otherwise as sums. */
static void carve_between(spool_engine *e, arena *a)
{
    const spool_axis *v = &e->plan.vertical;
    const size_t rows = (size_t)v->taps - 1 + SPOOL_GROUP, row = e->between * e->sample;
    const size_t sums = spool_round_up(e->between, SPOOL_SUMS) * (e->sample == 1 ? sizeof(int32_t) : sizeof(int64_t));
    const size_t ring_bytes = rows * spool_row_stride(row), sums_bytes = v->overlap * spool_row_stride(sums);

    if (ring_bytes <= (size_t)e->plan.ring_bytes || ring_bytes <= sums_bytes) {
        e->ring_rows = (int32_t)rows;
        e->ring = carve_rows(a, rows, row, &e->ring_stride);
        e->window = carve(a, 2 * rows * sizeof *e->window);
    } else {
        e->sums = carve_rows(a, v->overlap, sums, &e->sums_stride);
    }
    if (e->vertical_first)
        e->tall = carve_rows(a, SPOOL_GROUP, row, &e->tall_stride);
}

static void layout(spool_engine *e, arena *a)
{
    const spool_plan *p = &e->plan;
    resolve(e);
    const size_t finished = (size_t)p->horizontal.out * e->channels * e->sample;
    const int conversions = (p->words && e->sample == 1) + (p->alpha != SPOOL_ALPHA_KEEP) + p->luma + p->premultiply;

    carve_taps(a, &e->horizontal, &p->horizontal, e->sample == 2,
               p->horizontal.quads && e->channels == 1 && e->sample == 1);
    carve_taps(a, &e->vertical, &p->vertical, e->sample == 2, 0);
    if (!e->direct)
        carve_block(e, a);
    for (int i = 0; i < conversions && i < 2; i++)
        e->converted[i] =
            carve_rows(a, SPOOL_GROUP, (size_t)p->horizontal.in * p->channels * e->sample, &e->converted_stride);
    if (p->vertical.taps)
        carve_between(e, a);
    if (p->horizontal.taps && !e->vertical_first && !e->ring_rows)
        e->narrow = carve_rows(a, SPOOL_GROUP, finished, &e->narrow_stride);
    if (p->transpose || e->vertical_first || !e->plain)
        e->line = carve_rows(a,
                             p->transpose        ? SPOOL_TILE
                             : e->vertical_first ? SPOOL_GROUP
                                                 : 1,
                             finished, &e->line_stride);
    if (p->transpose)
        e->across = carve(a, (size_t)SPOOL_TILE * e->channels * e->sample + SPOOL_SLACK);
    if (p->type != SPOOL_UINT8)
        e->table = carve(a, (size_t)p->out_channels * 256 * e->elem);
}

size_t spool_engine_bytes(const spool_plan *plan)
{
    spool_engine e = {.plan = *plan};
    arena a = {0};
    carve(&a, sizeof e);
    layout(&e, &a);
    return a.used + SPOOL_ALIGN - 1; /* the memory may begin anywhere */
}

spool_engine *spool_engine_open(void *memory, size_t bytes, const spool_plan *plan, int level, uint8_t *dst,
                                spool_axis_taps across, spool_axis_taps down)
{
    if (bytes < spool_engine_bytes(plan))
        return NULL;
    arena a = {(uint8_t *)spool_round_up((uintptr_t)memory, SPOOL_ALIGN), 0};
    spool_engine *e = carve(&a, sizeof *e);

    *e = (spool_engine){.kernels = spool_kernels_at(level), .plan = *plan, .dst = dst};
    e->sink.lend = spool_engine_lend;
    e->sink.push = spool_engine_push;
    e->sink.first = plan->top;
    e->sink.last = plan->top + plan->vertical.in;
    e->sink.left = plan->left;
    e->sink.right = plan->right;
    layout(e, &a);
    e->depth = e->sample == 2 ? &e->kernels->words : &e->kernels->bytes;
    for (int32_t i = 0; i < 2 * e->ring_rows; i++)
        e->window[i] = e->ring + i % e->ring_rows * e->ring_stride;
    spool_store_init(e);
    spool_store_padding(e);
    if (plan->horizontal.taps > 0)
        spool_engine_horizontal(e, across);
    if (plan->vertical.taps > 0)
        spool_engine_vertical(e, down);
    return e;
}
