#include "memory.h"

#include <string.h>

static uint8_t *lend(spool_sink *sink, ptrdiff_t *stride, int *rows)
{
    spool_vips_memory *memory = (spool_vips_memory *)sink;
    const int left = memory->sink.last - memory->next;
    if (*rows > left)
        *rows = left;
    *stride = memory->stride;
    return memory->pixels + memory->next * memory->stride;
}

static int push(spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n)
{
    spool_vips_memory *memory = (spool_vips_memory *)sink;
    if (n > memory->sink.last - memory->next)
        return -1;
    uint8_t *out = memory->pixels + memory->next * memory->stride;
    for (int y = 0; rows != out && y < n; y++)
        memcpy(out + y * memory->stride, rows + y * stride, memory->row_bytes);
    memory->next += n;
    return 0;
}

spool_sink *spool_vips_memory_init(spool_vips_memory *memory, uint8_t *pixels, const spool_vips_request *request)
{
    *memory = (spool_vips_memory){
        .sink = {.lend = lend, .push = push, .first = 0, .last = request->height},
        .pixels = pixels,
        .stride = request->stride,
        .row_bytes = (size_t)request->width * request->channels * (request->bits / 8),
    };
    return &memory->sink;
}
