#ifndef SPOOL_VIPS_ROWS_H
#define SPOOL_VIPS_ROWS_H

#include <vips/vips.h>

#include "load.h"

/* What the pixels of a picture are. */
typedef struct {
    int color;
    int alpha;             /* 1: with opacity, the sample behind the colour's */
    int bands;             /* samples of a pixel */
    VipsBandFormat sample; /* UCHAR, USHORT or FLOAT */
    int premultiplied;     /* 1: to be divided by the opacity */
    int mixed;             /* 1: of CMYK that is delivered as RGB */
    int light;             /* 1: float samples are amounts of light, not steps of a display */
} spool_vips_pixels;

/* Describes the picture's pixels; 0 when they are of a kind that cannot be delivered. */
int spool_vips_describe(VipsImage *image, int format, spool_vips_pixels *pixels);

/* Pulls the picture through its pipeline, strip by strip, and pushes it to the sink. */
int spool_vips_deliver(VipsImage *image, const spool_vips_request *request, spool_sink *sink,
                       const volatile int32_t *cancel, int32_t *delivered);

#endif
