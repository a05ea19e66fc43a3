#include "area.h"

#include <stdlib.h>
#include <string.h>

static size_t row_bytes(const area_sink *area)
{
    return (size_t)(area->sink.right - area->sink.left) * area->channels;
}

size_t area_bytes(const area_sink *area)
{
    return row_bytes(area) * (area->sink.last - area->sink.first);
}

static uint8_t *lend(spool_sink *sink, ptrdiff_t *stride, int *rows)
{
    area_sink *area = (area_sink *)sink;
    free(area->lent);
    *stride = (ptrdiff_t)area->width * area->channels;
    *rows = area->loan;
    area->lent = malloc((size_t)*stride * area->loan);
    return area->lent;
}

static int push(spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n)
{
    area_sink *area = (area_sink *)sink;
    if (rows != area->lent || n < 1 || n > area->loan || n > sink->last - sink->first - area->rows)
        abort();
    for (int i = 0; i < n; i++, area->rows++)
        memcpy(area->samples + area->rows * row_bytes(area), rows + i * stride + sink->left * area->channels,
               row_bytes(area));
    free(area->lent);
    area->lent = NULL;
    return area->stops && area->rows == sink->last - sink->first ? SPOOL_SINK_ENOUGH : SPOOL_SINK_MORE;
}

void open_area(area_sink *area)
{
    area->sink.lend = lend;
    area->sink.push = push;
    area->samples = malloc(area_bytes(area));
}

void close_area(area_sink *area)
{
    free(area->lent);
    free(area->samples);
}
