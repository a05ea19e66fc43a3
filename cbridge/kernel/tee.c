#include "tee.h"

#include <string.h>

#include "engine.h"

static size_t aligned(size_t n)
{
    return spool_round_up(n, SPOOL_ALIGN);
}

size_t spool_tee_bytes(int32_t count, size_t row_bytes)
{
    return aligned(sizeof(spool_tee)) + aligned(count * sizeof(spool_sink *)) + SPOOL_BLOCK_OFFSET +
           spool_block_rows(row_bytes) * spool_row_stride(row_bytes) + SPOOL_ALIGN - 1;
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
        .block = rest + aligned(count * sizeof *to) + SPOOL_BLOCK_OFFSET,
        .block_stride = (ptrdiff_t)spool_row_stride(row_bytes),
        .block_rows = spool_block_rows(row_bytes),
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
