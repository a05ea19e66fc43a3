#ifndef SPOOL_AV_PIXELFORMAT_H
#define SPOOL_AV_PIXELFORMAT_H

#include <stdint.h>

#include <libavfilter/version_major.h>

/* Since FFmpeg 7.0 filters agree on matrix and range before the first frame. */
#define FILTERS_HAVE_COLOR (LIBAVFILTER_VERSION_MAJOR >= 10)

/* How the samples of a pixel format lie. */
typedef struct {
    int32_t depth;        /* bits of the deepest component; 0 of a format that is not known, or a device's */
    int32_t planar;       /* luma, and chroma if there is any, in planes of their own, in the machine's byte order */
    int32_t components;   /* 1: luma alone */
    int32_t sub_x, sub_y; /* samples of luma to one of chroma */
    int32_t paired;       /* chroma is one plane of U and V in turn; 2: V and U */
    int32_t shift;        /* of samples in their words: 6 of 10 bits that are the high ones */
} spool_av_pixel_format;

/* The format of FFmpeg's name; negative: there is none. */
int spool_av_pixel_format_named(const char *name);

void spool_av_pixel_format_describe(int format, spool_av_pixel_format *f);

/* Whether the conversion to RGB takes samples of a format and an AVColorRange for those of full range. */
int spool_av_is_full(int format, int range);

#endif
