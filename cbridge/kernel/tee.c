#include "tee.h"

#include <string.h>

#include "engine.h"

/* A lent block stays in the cache until all sinks have read it. */
enum { BLOCK_BYTES = 64 << 10, ALIGNMENT = 64 };

static size_t aligned(size_t n)
{
    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Sinks read rows in place if memory for slack follows them. */
static size_t stride_of(size_t row_bytes)
{
    return aligned(row_bytes + SPOOL_SLACK);
}

static int32_t rows_of(size_t row_bytes)
{
    const size_t n = BLOCK_BYTES / stride_of(row_bytes);
    return n < SPOOL_GROUP ? SPOOL_GROUP : n > SPOOL_BLOCK_ROWS ? SPOOL_BLOCK_ROWS : (int32_t)n;
}

size_t spool_tee_bytes(int32_t count, size_t row_bytes)
{
    return aligned(sizeof(spool_tee)) + aligned(count * sizeof(spool_sink *)) +
           rows_of(row_bytes) * stride_of(row_bytes) + ALIGNMENT - 1;
}

static uint8_t *lend(spool_sink *sink, ptrdiff_t *stride, int *rows)
{
    spool_tee *t = (spool_tee *)sink;
    if (t->row == t->sink.last)
        return NULL;
    *stride = t->block_stride;
    *rows = spool_min(t->block_rows, t->sink.last - t->row);
    return t->block;
}

int spool_tee_push(spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n)
{
    spool_tee *t = (spool_tee *)sink;
    if (n < 0 || (n > 0 && !rows))
        return SPOOL_SINK_ERROR;
    const int32_t end = t->row + spool_min(n, t->sink.last - t->row);
    for (int32_t i = 0; i < t->count; i++) {
        spool_sink *s = t->to[i];
        const int32_t first = spool_max(t->row, s->first), last = spool_min(end, s->last);
        if (first < last && s->push(s, rows + (first - t->row) * stride, stride, last - first) < 0)
            return SPOOL_SINK_ERROR;
    }
    t->row = end;
    return end == t->sink.last ? SPOOL_SINK_ENOUGH : SPOOL_SINK_MORE;
}

void spool_tee_begin(spool_tee *t)
{
    t->row = t->sink.first;
}

spool_tee *spool_tee_open(void *memory, spool_sink *const *to, int32_t count, size_t row_bytes)
{
    spool_tee *t = (spool_tee *)aligned((uintptr_t)memory);
    uint8_t *rest = (uint8_t *)t + aligned(sizeof *t);

    *t = (spool_tee){
        .sink = *to[0],
        .to = (spool_sink **)rest,
        .count = count,
        .block = rest + aligned(count * sizeof *to),
        .block_stride = (ptrdiff_t)stride_of(row_bytes),
        .block_rows = rows_of(row_bytes),
    };
    memcpy(t->to, to, count * sizeof *to);
    t->sink.lend = lend;
    t->sink.push = spool_tee_push;
    for (int32_t i = 1; i < count; i++) {
        const spool_sink *s = to[i];
        t->sink.first = spool_min(t->sink.first, s->first);
        t->sink.last = spool_max(t->sink.last, s->last);
        t->sink.left = spool_min(t->sink.left, s->left);
        /* 0 stands for all columns. */
        t->sink.right = t->sink.right == 0 || s->right == 0 ? 0 : spool_max(t->sink.right, s->right);
    }
    spool_tee_begin(t);
    return t;
}
