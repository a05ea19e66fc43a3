/*
 * A row sink takes the rows of an image from a decoder, top to bottom, and resizes and stores them immediately, so that
 * no image of full size is needed. Decoders use this header only: cbridge/kernel makes the sink, and its Go side passes
 * the pointer to the decoder's call.
 *
 * Rows are interleaved, with the width and number of channels that the sink was made for. Samples are uint8, or uint16
 * in native byte order if the sink was made for 16 bits. Strides are in bytes. A sink belongs to one thread at a time,
 * which runs the decoder.
 */
#ifndef SPOOL_SINK_H
#define SPOOL_SINK_H

#include <stddef.h>
#include <stdint.h>

/* Return codes of push. Negative: the rows are invalid, which is a bug of the decoder. */
#define SPOOL_SINK_MORE 0   /* continue */
#define SPOOL_SINK_ENOUGH 1 /* no further row is needed; later pushes are ignored */
#define SPOOL_SINK_ERROR (-1)

typedef struct spool_sink spool_sink;

struct spool_sink {
    /*
     * Returns memory for the next rows: *rows of them (1 or more), *stride bytes apart, valid until the next call of
     * lend or push. NULL after SPOOL_SINK_ENOUGH. Its use is optional: a decoder that writes to it and pushes this
     * memory (or its first rows) saves a copy.
     */
    uint8_t *(*lend)(spool_sink *sink, ptrdiff_t *stride, int *rows);

    /* Takes the next n rows, stride bytes apart (negative: bottom up). They are only read during the call. */
    int (*push)(spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n);

    /*
     * The wanted rows are [first, last) of the image. The first pushed row is row `first`: a decoder skips the rows
     * above, or decodes them into lent memory and does not push them.
     */
    int32_t first, last;

    /*
     * The wanted columns of these rows are [left, right), or all if right is 0: the others may be undefined. They are
     * columns of the image; rows begin with column 0 in any case.
     */
    int32_t left, right;
};

#endif
