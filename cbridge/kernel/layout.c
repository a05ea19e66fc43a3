/* Where everything an engine needs lies in the one block of memory it is given. */
#include <string.h>

#include "engine.h"

#define ALIGN 64
/*
 * Rows are lent from unaligned memory: libjpeg-turbo stores into aligned rows past the cache, from
 * where the horizontal pass would have to fetch them again (which costs twice the pass).
 */
#define OFFSET 8
#define BLOCK_BYTES (64 << 10) /* rows lent, at most, unless a group of them is more: they stay in cache */

/* Hands out pieces of memory; with a null base it only counts them. */
typedef struct {
    uint8_t *base;
    size_t used;
} arena;

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static void *carve(arena *a, size_t n)
{
    void *piece = a->base ? a->base + a->used : NULL;
    a->used += round_up(n, ALIGN);
    return piece;
}

static int32_t min32(int32_t a, int32_t b)
{
    return a < b ? a : b;
}
static int32_t max32(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* The bytes from one row to the next. A multiple of 4096 would put all rows in the same lines of the cache. */
static size_t row_stride(size_t bytes)
{
    size_t stride = round_up(bytes + SPOOL_SLACK, ALIGN);
    return stride % 4096 == 0 ? stride + ALIGN : stride;
}

static void carve_taps(arena *a, spool_taps *taps, const spool_axis *axis)
{
    size_t outputs = round_up((size_t)axis->out, 4);
    *taps = (spool_taps){.in = axis->in, .out = axis->out, .taps = axis->taps, .precision = axis->precision};
    if (axis->taps == 0)
        return;
    taps->stride = (int32_t)round_up((size_t)axis->taps, 8);
    taps->start = carve(a, outputs * sizeof *taps->start);
    taps->weights = carve(a, outputs * taps->stride * sizeof *taps->weights);
}

static void layout(spool_engine *e, arena *a)
{
    const spool_plan *p = &e->plan;
    const int resized = p->horizontal.taps || p->vertical.taps;
    const int padded = p->horizontal.out != p->canvas_width || p->vertical.out != p->canvas_height;

    e->channels = p->intake == SPOOL_INTAKE_NONE ? p->channels : p->intake == SPOOL_INTAKE_GRAY ? 1 : 3;
    e->elem = p->type == SPOOL_UINT8 ? 1 : p->type == SPOOL_FLOAT16 ? 2 : 4;
    e->plain = p->type == SPOOL_UINT8 && !p->planar && !p->swap && e->channels == p->out_channels;
    e->direct = e->plain && !resized && p->intake == SPOOL_INTAKE_NONE && p->left == 0 && p->right == p->width;

    carve_taps(a, &e->horizontal, &p->horizontal);
    carve_taps(a, &e->vertical, &p->vertical);
    if (!e->direct) {
        e->block_stride = row_stride((size_t)p->width * p->channels);
        e->block_rows = (int32_t)(BLOCK_BYTES / e->block_stride) / SPOOL_GROUP * SPOOL_GROUP;
        e->block_rows = min32(max32(min32(e->block_rows, SPOOL_BLOCK_ROWS), SPOOL_GROUP), p->vertical.in);
        e->block = carve(a, e->block_rows * e->block_stride + OFFSET);
        if (e->block)
            e->block += OFFSET;
    }
    if (p->intake != SPOOL_INTAKE_NONE) {
        e->converted_stride = row_stride((size_t)(p->right - p->left) * e->channels);
        e->converted = carve(a, SPOOL_GROUP * e->converted_stride);
    }
    if (resized) {
        e->ring_stride = row_stride((size_t)p->horizontal.out * e->channels);
        e->ring_rows = max32(p->vertical.taps - 1, 0) + SPOOL_GROUP;
        e->ring = carve(a, e->ring_rows * e->ring_stride);
        e->window = carve(a, 2 * (size_t)e->ring_rows * sizeof *e->window);
    }
    if (!e->plain || padded) {
        size_t pixels = padded ? (size_t)p->canvas_width : (size_t)p->horizontal.out;
        e->line = carve(a, pixels * 4 + SPOOL_SLACK);
    }
    if (p->type != SPOOL_UINT8)
        e->table = carve(a, (size_t)p->out_channels * 256 * e->elem);
}

size_t spool_engine_bytes(const spool_plan *plan)
{
    spool_engine e = {.plan = *plan};
    arena a = {0};
    carve(&a, sizeof e);
    layout(&e, &a);
    return a.used + ALIGN - 1; /* the memory may begin anywhere */
}

spool_engine *spool_engine_init(void *memory, const spool_plan *plan, int level, uint8_t *dst)
{
    arena a = {(uint8_t *)round_up((uintptr_t)memory, ALIGN), 0};
    spool_engine *e = carve(&a, sizeof *e);

    *e = (spool_engine){.kernels = spool_kernels_at(level), .plan = *plan, .dst = dst};
    e->sink.lend = spool_engine_lend;
    e->sink.push = spool_engine_push;
    e->sink.first = plan->top;
    e->sink.last = plan->top + plan->vertical.in;
    layout(e, &a);
    for (int32_t i = 0; i < 2 * e->ring_rows; i++)
        e->window[i] = e->ring + i % e->ring_rows * e->ring_stride;
    spool_store_init(e);
    return e;
}

/* Makes all windows as long as the longest: they begin earlier where they would leave the input, and have weights of
 * zero where they were shorter. */
static void copy_taps(spool_taps *taps, const int32_t *start, const int32_t *count, const int16_t *weights,
                      int32_t stride)
{
    const size_t outputs = round_up((size_t)taps->out, 4);

    memset(taps->start, 0, outputs * sizeof *taps->start);
    memset(taps->weights, 0, outputs * taps->stride * sizeof *taps->weights);
    for (int32_t i = 0; i < taps->out; i++) {
        taps->start[i] = min32(start[i], taps->in - taps->taps);
        memcpy(taps->weights + (size_t)i * taps->stride + (start[i] - taps->start[i]), weights + (size_t)i * stride,
               count[i] * sizeof *weights);
    }
}

void spool_engine_horizontal(spool_engine *e, const int32_t *start, const int32_t *count, const int16_t *weights,
                             int32_t stride)
{
    copy_taps(&e->horizontal, start, count, weights, stride);
}

void spool_engine_vertical(spool_engine *e, const int32_t *start, const int32_t *count, const int16_t *weights,
                           int32_t stride)
{
    spool_taps *v = &e->vertical;
    copy_taps(v, start, count, weights, stride);
    e->row = v->start[0];
    e->sink.first = e->plan.top + v->start[0];
    e->sink.last = e->plan.top + v->start[v->out - 1] + v->taps;
}
