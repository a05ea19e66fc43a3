/* One picture of a file, on its way from compressed data to a sink. */
#ifndef SPOOL_PNG_FRAME_H
#define SPOOL_PNG_FRAME_H

#include "expand.h"

typedef struct {
    const spool_png_picture *picture; /* in an animation with the frame's own size */
    const uint8_t *data;              /* the file */
    size_t size, at;                  /* its size, and where the first chunk of pixels begins */
    uint32_t name;                    /* of these chunks: IDAT or fdAT */
    const spool_png_options *options;
    const int32_t *flag;
    spool_png_report *report;

    const spool_png_expander *expander;
    spool_sink *sink;
    int32_t next;   /* row to be delivered */
    int32_t enough; /* no further row is wanted */
} spool_png_frame;

/* The consecutive chunks of a frame's pixels. */
typedef struct {
    int chunks;
    size_t bytes;        /* of compressed data in them, as far as the file has them */
    size_t end;          /* where in the file the chunk behind them is */
    spool_png_chunk cut; /* the last one, if the file ends within it; at 0: whole */
} spool_png_extent;

void spool_png_measure(const spool_png_frame *frame, spool_png_extent *extent);

/* Compressed data in one piece: where they lie if there is one chunk, else a copy, to be freed. */
typedef struct {
    const uint8_t *data;
    size_t size;
    void *copy;
    int intact; /* all chunks are whole, with the right CRC */
} spool_png_stream;

/* Bytes of the copy. */
size_t spool_png_stream_bytes(const spool_png_extent *extent);

/* Returns SPOOL_PNG_OK or _NO_MEMORY. */
int spool_png_gather(const spool_png_frame *frame, const spool_png_extent *extent, spool_png_stream *stream);

/* Delivers the rows that are wanted of n rows as stored; row frame->next comes first. SPOOL_PNG_OK or _SINK. */
int spool_png_deliver(spool_png_frame *frame, const uint8_t *rows, ptrdiff_t stride, int n);

/*
 * Inflates all, then delivers. Returns SPOOL_PNG_PASS, with nothing delivered, for all that is not perfectly
 * regular, or too large: then libpng decides.
 */
enum { SPOOL_PNG_PASS = -1 };
int spool_png_read_regular(spool_png_frame *frame, const spool_png_extent *extent);

/* Decodes with libpng, row by row. */
int spool_png_read_any(spool_png_frame *frame, const spool_png_extent *extent);

/* The one, then the other. *end is where the chunk behind the pixels is. */
int spool_png_read_frame(spool_png_frame *frame, size_t *end);

/* A sink that is plain memory. */
typedef struct {
    spool_sink sink; /* first: the sink's functions get the whole from its address */
    uint8_t *next;   /* where the next row goes */
    size_t row_bytes;
    ptrdiff_t stride;
} spool_png_memory;

spool_sink *spool_png_memory_init(spool_png_memory *memory, uint8_t *dst, size_t row_bytes, ptrdiff_t stride);

/*
 * Checks that the picture is one for the sink, or for dst, which becomes a sink in *memory. Returns SPOOL_PNG_OK
 * and the sink, or _SHAPE.
 */
int spool_png_choose_sink(const spool_png_picture *picture, const spool_png_options *options, spool_sink **sink,
                          spool_png_memory *memory, uint8_t *dst, size_t dst_size, size_t stride);

#endif
