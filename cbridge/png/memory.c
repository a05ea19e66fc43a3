#include "frame.h"

#include <string.h>

static uint8_t *lend(spool_sink *sink, ptrdiff_t *stride, int *rows)
{
    spool_png_memory *memory = (spool_png_memory *)sink;
    *stride = memory->stride;
    *rows = sink->last - sink->first; /* only wanted rows are written, and these are known to fit */
    return memory->next;
}

static int push(spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n)
{
    spool_png_memory *memory = (spool_png_memory *)sink;
    for (int y = 0; y < n; y++, memory->next += memory->stride)
        if (rows + y * stride != memory->next)
            memcpy(memory->next, rows + y * stride, memory->row_bytes);
    return SPOOL_SINK_MORE;
}

spool_sink *spool_png_memory_init(spool_png_memory *memory, uint8_t *dst, size_t row_bytes, ptrdiff_t stride)
{
    *memory =
        (spool_png_memory){.sink = {.lend = lend, .push = push}, .next = dst, .row_bytes = row_bytes, .stride = stride};
    return &memory->sink;
}

/* Whether n rows of row bytes, stride apart, fit. */
static int fits(size_t size, size_t row, size_t stride, size_t n)
{
    return n == 0 || (stride >= row && size >= row && (size - row) / stride >= n - 1);
}

int spool_png_choose_sink(const spool_png_image *image, const spool_png_options *options, spool_sink **sink,
                          spool_png_memory *memory, uint8_t *dst, size_t dst_size, size_t stride)
{
    const size_t row = (size_t)image->width * options->channels * options->bits / 8;
    int ok = options->width == image->width && options->height == image->height;
    if (*sink == NULL) {
        if (stride == 0)
            stride = row;
        *sink = spool_png_memory_init(memory, dst, row, stride);
        (*sink)->first = options->first;
        (*sink)->last = options->last == 0 ? image->height : options->last;
        ok = (*sink)->first <= (*sink)->last && fits(dst_size, row, stride, (*sink)->last - (*sink)->first);
    }
    const spool_sink *chosen = *sink;
    ok = ok && 0 <= chosen->first && chosen->first <= chosen->last && chosen->last <= image->height;
    return ok ? SPOOL_PNG_OK : SPOOL_PNG_SHAPE;
}
