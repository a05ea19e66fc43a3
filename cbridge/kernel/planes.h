/*
 * A planes sink takes a picture's luma and chroma planes, top to bottom, as a decoder makes them, and
 * gives a row sink (sink.h) its RGB rows. One that was made for gray takes luma alone and gives rows of it.
 * This header is all that a decoder knows of it.
 *
 * Samples are 8 bits. Chroma planes have ceil(width / h) x ceil(height / v) samples, where h and v, 1 or
 * 2, are what the sink was made for. A sink belongs to one thread at a time.
 */
#ifndef SPOOL_PLANES_H
#define SPOOL_PLANES_H

#include "sink.h"

/* Rows that follow those of the band before: of luma, and of chroma the rows / v that belong to them. */
typedef struct {
    const uint8_t *y, *u, *v;
    ptrdiff_t y_stride, uv_stride;
    int32_t rows; /* of luma; a multiple of v, except in the picture's last band */
} spool_band;

typedef struct spool_planes spool_planes;

struct spool_planes {
    /* Takes a band and returns what a row sink's push does. The band is read during the call only. */
    int (*push)(spool_planes *planes, const spool_band *band);

    /* The rows of luma that are wanted are [first, last): multiples of v, or the picture's height. */
    int32_t first, last;

    /*
     * Of these rows the columns [left, right) of luma are looked at, and the samples of chroma that belong to them: the
     * others may hold anything. They are columns of the picture; rows begin with column 0 in any case.
     */
    int32_t left, right;
};

#endif
