#ifndef SPOOL_AV_PIXELFORMAT_H
#define SPOOL_AV_PIXELFORMAT_H

#include <stdint.h>

#include <libavfilter/version_major.h>

/* Since FFmpeg 7.0 filters negotiate matrix and range before the first frame. */
#define FILTERS_HAVE_COLOR (LIBAVFILTER_VERSION_MAJOR >= 10)

/* The planes of a pixel format. */
typedef struct {
    int32_t depth;        /* bits of the deepest component; 0 for unknown formats and formats of a device */
    int32_t planar;       /* luma and any chroma have separate planes, in the machine's byte order */
    int32_t components;   /* 1: only luma */
    int32_t sub_x, sub_y; /* luma samples per chroma sample */
    int32_t paired;       /* 1: chroma is one plane of alternating U and V; 2: V and U */
    int32_t shift;        /* left shift of samples in their words: 6 for 10 high bits */
} spool_av_pixel_format;

/* Returns the format with FFmpeg's name, or a negative number. */
int spool_av_pixel_format_named(const char *name);

void spool_av_pixel_format_describe(int format, spool_av_pixel_format *f);

/* Reports whether the conversion to RGB treats samples of a format and an AVColorRange as full range. */
int spool_av_is_full(int format, int range);

#endif
