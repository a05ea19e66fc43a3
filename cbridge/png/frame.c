#include "frame.h"

#include <stdlib.h>
#include <string.h>

/* Bytes before the compressed data in a chunk: fdAT begins with a sequence number. */
static uint32_t head_of(uint32_t name)
{
    return name == SPOOL_PNG_fdAT ? 4 : 0;
}

/* Finds the next chunk of pixels; returns 0 if there is none. */
static int next_pixels(const spool_png_frame *frame, spool_png_file *file, spool_png_chunk *chunk, int *found)
{
    *found = spool_png_next_chunk(file, chunk);
    return *found != SPOOL_PNG_CHUNK_NONE && chunk->name == frame->name && chunk->there >= head_of(frame->name);
}

void spool_png_measure(const spool_png_frame *frame, spool_png_extent *extent)
{
    spool_png_file file = {frame->data, frame->size, frame->at};
    *extent = (spool_png_extent){.end = frame->at};
    for (int found = SPOOL_PNG_CHUNK_WHOLE; found == SPOOL_PNG_CHUNK_WHOLE;) {
        spool_png_chunk chunk;
        if (!next_pixels(frame, &file, &chunk, &found))
            return;
        extent->bytes += chunk.there - head_of(frame->name);
        extent->chunks++;
        extent->end = file.at;
        if (found == SPOOL_PNG_CHUNK_CUT)
            extent->cut = chunk;
    }
}

size_t spool_png_stream_bytes(const spool_png_extent *extent)
{
    return extent->chunks > 1 ? extent->bytes : 0;
}

int spool_png_gather(const spool_png_frame *frame, const spool_png_extent *extent, spool_png_stream *stream)
{
    spool_png_file file = {frame->data, frame->size, frame->at};
    const size_t copied = spool_png_stream_bytes(extent), head = head_of(frame->name);
    *stream = (spool_png_stream){.intact = extent->cut.at == 0};
    if (copied > 0 && (stream->copy = malloc(copied)) == NULL)
        return SPOOL_PNG_NO_MEMORY;
    for (int i = 0, found; i < extent->chunks; i++) {
        spool_png_chunk chunk;
        next_pixels(frame, &file, &chunk, &found);
        stream->intact = stream->intact && spool_png_intact(&chunk);
        if (copied > 0)
            memcpy((uint8_t *)stream->copy + stream->size, chunk.data + head, chunk.there - head);
        else
            stream->data = chunk.data + head;
        stream->size += chunk.there - head;
    }
    if (copied > 0)
        stream->data = stream->copy;
    return SPOOL_PNG_OK;
}

/* Delivers n wanted rows, converted into memory that the sink lends. */
static int convert(spool_png_frame *frame, const uint8_t *rows, ptrdiff_t stride, int n)
{
    spool_sink *sink = frame->sink;
    while (n > 0 && !frame->enough) {
        ptrdiff_t lent_stride;
        int some;
        uint8_t *lent = sink->lend(sink, &lent_stride, &some);
        if (lent == NULL || some < 1)
            return SPOOL_PNG_SINK;
        if (some > n)
            some = n;
        for (int y = 0; y < some; y++)
            frame->expander->row(frame->expander, rows + y * stride, lent + y * lent_stride, frame->image->width);
        const int answer = sink->push(sink, lent, lent_stride, some);
        if (answer < 0)
            return SPOOL_PNG_SINK;
        frame->enough = answer == SPOOL_SINK_ENOUGH;
        frame->report->rows += some;
        rows += some * stride;
        n -= some;
    }
    return SPOOL_PNG_OK;
}

int spool_png_deliver(spool_png_frame *frame, const uint8_t *rows, ptrdiff_t stride, int n)
{
    spool_sink *sink = frame->sink;
    const int above = sink->first > frame->next ? sink->first - frame->next : 0;
    const int left = sink->last - frame->next;
    frame->next += n;
    if (n > left)
        n = left;
    if (n <= above || frame->enough)
        return SPOOL_PNG_OK;
    rows += above * stride;
    n -= above;
    if (frame->expander->row != NULL)
        return convert(frame, rows, stride, n);
    const int answer = sink->push(sink, rows, stride, n);
    if (answer < 0)
        return SPOOL_PNG_SINK;
    frame->enough = answer == SPOOL_SINK_ENOUGH;
    frame->report->rows += n;
    return SPOOL_PNG_OK;
}
