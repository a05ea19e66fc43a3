#ifndef SPOOL_VIPS_ROWS_H
#define SPOOL_VIPS_ROWS_H

#include <vips/vips.h>

#include "load.h"

/* Where the samples of a pixel lie, in bytes; of a 16-bit sample its high byte. */
typedef struct {
    int color;
    int alpha;     /* 1: with opacity */
    int size;      /* of a pixel */
    int sample[4]; /* of each colour channel */
    int opacity;   /* of the alpha channel */
    int keyed;     /* 1: pixels of opacity 0 were never drawn, and show the background */
    uint8_t background[3];
} spool_vips_pixels;

/* Describes the picture's pixels; 0 when they are of a kind that cannot be delivered. */
int spool_vips_describe(VipsImage *image, int format, spool_vips_pixels *pixels);

/* Pulls the picture through its pipeline, strip by strip, and pushes it to the sink. */
int spool_vips_deliver(VipsImage *image, int format, int channels, spool_sink *sink, const volatile int32_t *cancel,
                       int32_t *delivered);

#endif
