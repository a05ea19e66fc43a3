/*
 * The conversion of video, by coefficients for any matrix and range.
 *
 * SPOOL_RULE_SWSCALE is the arithmetic of swscale's own conversion of 8-bit video whose chroma is halved
 * (libswscale/x86/yuv_2_rgb.asm of FFmpeg 5.1; unchanged since): samples with 3 bits of fraction, luma with its zero
 * taken off, by coefficients of 13 bits, each product cut off to whole numbers, which makes pictures darker by about 1.
 *
 * SPOOL_RULE_VIDEO rounds. Samples at the top of a word, by what the rounding 16-bit multiplication of every
 * instruction set takes, give products of SPOOL_VIDEO_FRACTION bits; a sum of three is within 0.03 of the real one.
 * Sums that leave 16 bits are beyond white, and saturate.
 *
 * Samples of 16 bits have coefficients of SPOOL_VIDEO_WORDS bits, so that sums have 31.
 */
#ifndef SPOOL_PLANES_VIDEO_H
#define SPOOL_PLANES_VIDEO_H

enum {
    SPOOL_SWSCALE_SHIFT = 3,
    SPOOL_SWSCALE_COLOR = 13, /* bits of the coefficients' fractions */

    SPOOL_VIDEO_FRACTION = 6,
    SPOOL_VIDEO_LUMA = 14,
    SPOOL_VIDEO_CHROMA = 13,
    SPOOL_VIDEO_LUMA_SHIFT = SPOOL_VIDEO_FRACTION + 15 - SPOOL_VIDEO_LUMA,
    SPOOL_VIDEO_CHROMA_SHIFT = SPOOL_VIDEO_FRACTION + 15 - SPOOL_VIDEO_CHROMA,

    SPOOL_VIDEO_WORDS = 13,
};

#endif
