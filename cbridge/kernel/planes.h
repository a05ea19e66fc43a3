/*
 * A planes sink takes the luma and chroma planes of an image from a decoder, top to bottom, and pushes RGB rows into a
 * row sink (sink.h). A sink made for gray takes luma only and pushes rows of it. Decoders use this header only.
 *
 * Chroma planes have ceil(width / h) x ceil(height / v) samples. h and v, 1 or 2, are fixed when the sink is made, like
 * the sample format. Samples have 8 bits; those of deeper video are 16-bit words in native byte order, of which the low
 * or the high bits are used. The chroma of a video may be one plane of interleaved samples instead (NV12). Strides are
 * in bytes. A sink belongs to one thread at a time.
 */
#ifndef SPOOL_PLANES_H
#define SPOOL_PLANES_H

#include "sink.h"

/*
 * Consecutive rows, from the end of the previous band: of luma, and the rows / v of chroma that belong to them.
 * Interleaved chroma is in u, and v is ignored. A sink made for gray ignores both.
 */
typedef struct {
    const uint8_t *y, *u, *v;
    ptrdiff_t y_stride, uv_stride;
    int32_t rows; /* of luma; a multiple of v, except in the image's last band */
} spool_band;

typedef struct spool_planes spool_planes;

struct spool_planes {
    /* Takes a band and returns the codes of a row sink's push. The band is only read during the call. */
    int (*push)(spool_planes *planes, const spool_band *band);

    /* The wanted rows of luma are [first, last): multiples of v, or the image's height. */
    int32_t first, last;

    /*
     * The wanted columns of luma are [left, right), with the chroma samples that belong to them: the others may be
     * undefined. They are columns of the image; rows begin with column 0 in any case.
     */
    int32_t left, right;

    /*
     * The image that the sink was made for: a decoder refuses to push another one. planes is 1 for luma only, 2 if
     * chroma is one interleaved plane, or 3; bytes is the size of a sample.
     */
    int32_t width, height, h, v, planes, bytes;
};

/*
 * Pushes all wanted rows of an image that is completely in memory: the band's planes begin with row 0, and its rows
 * field is ignored. Returns the result of push.
 */
static inline int spool_planes_image(spool_planes *planes, const spool_band *image)
{
    const ptrdiff_t y = planes->first * image->y_stride, uv = planes->first / planes->v * image->uv_stride;
    spool_band band = {.y = image->y + y,
                       .u = image->u ? image->u + uv : NULL,
                       .v = image->v ? image->v + uv : NULL,
                       .y_stride = image->y_stride,
                       .uv_stride = image->uv_stride,
                       .rows = planes->last - planes->first};
    return planes->push(planes, &band);
}

#endif
