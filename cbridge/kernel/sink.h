/*
 * A row sink takes a picture's rows, top to bottom, as a decoder makes them, and resizes and stores
 * them as they come, so that no picture of full size has to exist. This header is all that a decoder
 * knows of it: cbridge/kernel makes the sink, and its Go side hands the pointer to the decoder's call.
 *
 * Rows are interleaved, with the width and number of channels that the sink was made for: uint8, or uint16 in
 * the machine's byte order where it was made for 16 bits. Strides are in bytes.
 * A sink belongs to one thread at a time: the one that runs the decoder.
 */
#ifndef SPOOL_SINK_H
#define SPOOL_SINK_H

#include <stddef.h>
#include <stdint.h>

/* What push returns. Negative: the rows could not be taken (a bug of the decoder's). */
#define SPOOL_SINK_MORE 0   /* go on */
#define SPOOL_SINK_ENOUGH 1 /* no further row is needed; what is pushed after this is ignored */
#define SPOOL_SINK_ERROR (-1)

typedef struct spool_sink spool_sink;

struct spool_sink {
    /*
     * Memory for the next rows: *rows of them (1 or more), *stride bytes apart, valid until the
     * next call of lend or push. NULL after SPOOL_SINK_ENOUGH. Its use is optional: a decoder that
     * writes there and pushes what lend gave (or the first rows of it) saves a copy.
     */
    uint8_t *(*lend)(spool_sink *sink, ptrdiff_t *stride, int *rows);

    /*
     * Takes the next n rows, stride bytes apart (negative: bottom up). They are read during the call only.
     */
    int (*push)(spool_sink *sink, const uint8_t *rows, ptrdiff_t stride, int n);

    /*
     * The rows that are wanted are [first, last) of the picture. The first row pushed is row `first`:
     * a decoder skips the rows above, or decodes them into lent memory and does not push them.
     */
    int32_t first, last;

    /*
     * Of these rows the columns [left, right) are looked at, or all where right is 0: the others may hold
     * anything. They are columns of the picture; rows begin with column 0 in any case.
     */
    int32_t left, right;
};

#endif
