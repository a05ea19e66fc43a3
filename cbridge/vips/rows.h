#ifndef SPOOL_VIPS_ROWS_H
#define SPOOL_VIPS_ROWS_H

#include <vips/vips.h>

#include "load.h"

/* The properties of an image's pixels. */
typedef struct {
    int color;
    int alpha;             /* 1: alpha follows the color samples */
    int bands;             /* samples of a pixel */
    VipsBandFormat sample; /* UCHAR, USHORT or FLOAT */
    int premultiplied;     /* 1: divide colors by alpha */
    int mixed;             /* 1: CMYK that is delivered as RGB */
    int light;             /* 1: float samples are linear light, not encoded for a display */
} spool_vips_pixels;

/* Describes the image's pixels; returns 0 if they cannot be delivered. */
int spool_vips_describe(VipsImage *image, int format, spool_vips_pixels *pixels);

/* Runs the image's libvips pipeline strip by strip, and pushes the rows to the sink. */
int spool_vips_deliver(VipsImage *image, const spool_vips_request *request, spool_sink *sink,
                       const volatile int32_t *cancel, int32_t *delivered);

#endif
