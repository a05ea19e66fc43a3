/*
 * The conversion of video, with coefficients for any matrix and range.
 *
 * SPOOL_RULE_SWSCALE is the arithmetic of swscale's special conversion of 8-bit video with halved chroma
 * (libswscale/x86/yuv_2_rgb.asm of FFmpeg 5.1; unchanged since). Samples have 3 bits of fraction, and luma is reduced
 * by its zero. Coefficients have 13 bits. Each product is truncated to an integer, which makes images darker by about
 * 1.
 *
 * SPOOL_RULE_VIDEO rounds. Samples at the top of a word are multiplied by the rounding 16-bit multiplication that every
 * instruction set has, and give products with SPOOL_VIDEO_FRACTION bits. A sum of three is within 0.03 of the real
 * value. Sums that exceed 16 bits are beyond white, and saturate.
 *
 * 16-bit samples have coefficients of SPOOL_VIDEO_WORDS bits, so that sums have 31 bits.
 */
#ifndef SPOOL_PLANES_VIDEO_H
#define SPOOL_PLANES_VIDEO_H

enum {
    SPOOL_SWSCALE_SHIFT = 3,
    SPOOL_SWSCALE_COLOR = 13, /* fraction bits of the coefficients */

    SPOOL_VIDEO_FRACTION = 6,
    SPOOL_VIDEO_LUMA = 14,
    SPOOL_VIDEO_CHROMA = 13,
    SPOOL_VIDEO_LUMA_SHIFT = SPOOL_VIDEO_FRACTION + 15 - SPOOL_VIDEO_LUMA,
    SPOOL_VIDEO_CHROMA_SHIFT = SPOOL_VIDEO_FRACTION + 15 - SPOOL_VIDEO_CHROMA,

    SPOOL_VIDEO_WORDS = 13,
};

#endif
