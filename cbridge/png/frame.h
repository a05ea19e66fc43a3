/* Decodes one image of a file, from compressed data to a sink. */
#ifndef SPOOL_PNG_FRAME_H
#define SPOOL_PNG_FRAME_H

#include "expand.h"

typedef struct {
    const spool_png_image *image; /* in an animation, with the frame's own size */
    const uint8_t *data;          /* the file */
    size_t size, at;              /* its size, and the offset of the first chunk of pixels */
    uint32_t name;                /* of the chunks of pixels: IDAT or fdAT */
    const spool_png_options *options;
    const int32_t *flag;
    spool_png_report *report;

    const spool_png_expander *expander;
    spool_sink *sink;
    int32_t next;   /* next row to deliver */
    int32_t enough; /* no further row is wanted */
} spool_png_frame;

/* The consecutive chunks of a frame's pixels. */
typedef struct {
    int chunks;
    size_t bytes;        /* compressed data that the file has of them */
    size_t end;          /* offset of the chunk after them */
    spool_png_chunk cut; /* the last one, if the file ends within it; at is 0 otherwise */
} spool_png_extent;

void spool_png_measure(const spool_png_frame *frame, spool_png_extent *extent);

/* Contiguous compressed data: in the file if there is one chunk, else a copy that must be freed. */
typedef struct {
    const uint8_t *data;
    size_t size;
    void *copy;
    int intact; /* all chunks are complete and have the right CRC */
} spool_png_stream;

/* Bytes of the copy. */
size_t spool_png_stream_bytes(const spool_png_extent *extent);

/* Returns SPOOL_PNG_OK or _NO_MEMORY. */
int spool_png_gather(const spool_png_frame *frame, const spool_png_extent *extent, spool_png_stream *stream);

/* Delivers the wanted ones of n stored rows, beginning with row frame->next. Returns SPOOL_PNG_OK or _SINK. */
int spool_png_deliver(spool_png_frame *frame, const uint8_t *rows, ptrdiff_t stride, int n);

/*
 * Inflates all data, then delivers. Returns SPOOL_PNG_PASS, with nothing delivered, for files that are irregular or too
 * large: libpng decides about them.
 */
enum { SPOOL_PNG_PASS = -1 };
int spool_png_read_regular(spool_png_frame *frame, const spool_png_extent *extent);

/* Decodes with libpng, row by row. */
int spool_png_read_any(spool_png_frame *frame, const spool_png_extent *extent);

/* Tries read_regular, then read_any. *end is the offset of the chunk after the pixels. */
int spool_png_read_frame(spool_png_frame *frame, size_t *end);

/* A sink that writes to plain memory. */
typedef struct {
    spool_sink sink; /* first member, so that a pointer to it is a pointer to the struct */
    uint8_t *next;   /* destination of the next row */
    size_t row_bytes;
    ptrdiff_t stride;
} spool_png_memory;

spool_sink *spool_png_memory_init(spool_png_memory *memory, uint8_t *dst, size_t row_bytes, ptrdiff_t stride);

/*
 * Checks that the image matches the sink, or dst, which becomes a sink in *memory. Returns SPOOL_PNG_OK and the sink,
 * or _SHAPE.
 */
int spool_png_choose_sink(const spool_png_image *image, const spool_png_options *options, spool_sink **sink,
                          spool_png_memory *memory, uint8_t *dst, size_t dst_size, size_t stride);

#endif
