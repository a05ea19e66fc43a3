/*
 * A planes sink takes a picture's luma and chroma planes, top to bottom, as a decoder makes them, and
 * gives a row sink (sink.h) its RGB rows. One that was made for gray takes luma alone and gives rows of it.
 * This header is all that a decoder knows of it.
 *
 * Chroma planes have ceil(width / h) x ceil(height / v) samples, where h and v, 1 or 2, are what the sink was made
 * for. So is the form of the samples: 8 bits, or, of a video that has more, words of 16 bits in the machine's byte
 * order, of which the low or the high bits are used. Chroma of a video may be one plane of samples in pairs instead
 * (NV12). Strides are in bytes. A sink belongs to one thread at a time.
 */
#ifndef SPOOL_PLANES_H
#define SPOOL_PLANES_H

#include "sink.h"

/*
 * Rows that follow those of the band before: of luma, and of chroma the rows / v that belong to them. u is the plane of
 * pairs where there is one; v is not looked at then, and neither of them where the sink was made for gray.
 */
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

    /*
     * What the sink was made for: who pushes another picture refuses it. planes is 1 for luma alone, 2 where chroma is
     * one plane of pairs, or 3; bytes is what a sample takes.
     */
    int32_t width, height, h, v, planes, bytes;
};

/*
 * Gives a sink all that it wants of a picture that lies in memory as a whole: the band's planes begin with row 0, and
 * its rows are not looked at. Returns what push does.
 */
static inline int spool_planes_picture(spool_planes *planes, const spool_band *picture)
{
    const ptrdiff_t y = planes->first * picture->y_stride, uv = planes->first / planes->v * picture->uv_stride;
    spool_band band = {.y = picture->y + y,
                       .u = picture->u ? picture->u + uv : NULL,
                       .v = picture->v ? picture->v + uv : NULL,
                       .y_stride = picture->y_stride,
                       .uv_stride = picture->uv_stride,
                       .rows = planes->last - planes->first};
    return planes->push(planes, &band);
}

#endif
