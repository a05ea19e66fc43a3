/*
 * The conversion of video, by the coefficients of any matrix and range.
 *
 * Products of 8-bit samples are rounded to SPOOL_VIDEO_FRACTION bits, which is what the rounding 16-bit multiplication
 * of every instruction set leaves of a sample at the top of a word; a sum of three is within 0.03 of the real one.
 * Sums that leave 16 bits are beyond white or black, and saturate.
 */
#ifndef SPOOL_PLANES_VIDEO_H
#define SPOOL_PLANES_VIDEO_H

#include "planes_kernels.h"

enum {
    SPOOL_VIDEO_FRACTION = 6,
    SPOOL_VIDEO_LUMA_SHIFT = SPOOL_VIDEO_FRACTION + 15 - SPOOL_COLOR_LUMA,
    SPOOL_VIDEO_CHROMA_SHIFT = SPOOL_VIDEO_FRACTION + 15 - SPOOL_COLOR_CHROMA,
};

/* (a * b + 2^14) / 2^15, of 16 bits each. */
static inline int spool_video_product(int a, int b)
{
    return (a * b + (1 << 14)) >> 15;
}

/* What luma's zero comes to in all sums, with the half that rounds them. */
static inline int spool_video_bias(const spool_color *color)
{
    return (1 << (SPOOL_VIDEO_FRACTION - 1)) -
           spool_video_product(color->y_zero << SPOOL_VIDEO_LUMA_SHIFT, color->luma);
}

#endif
