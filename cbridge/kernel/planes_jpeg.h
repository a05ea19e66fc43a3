/*
 * The conversion of JFIF: BT.601 of full range, as in libjpeg (jdcolor.c). Each factor is the sum of an integer and a
 * remainder of 16 bits: 1.402 is 1 and SPOOL_JPEG_R, 1.772 is 2 and SPOOL_JPEG_B, -0.714 is -1 and SPOOL_JPEG_G_V. A
 * product with a remainder keeps SPOOL_JPEG_FRACTION bits of its fraction. Sums are then right, except close to halves.
 */
#ifndef SPOOL_PLANES_JPEG_H
#define SPOOL_PLANES_JPEG_H

enum {
    SPOOL_JPEG_FRACTION = 7,
    SPOOL_JPEG_HALF = 1 << (SPOOL_JPEG_FRACTION - 1),
    SPOOL_JPEG_R = 91881 - (1 << 16),
    SPOOL_JPEG_B = 116130 - (2 << 16),
    SPOOL_JPEG_G_U = -22554,
    SPOOL_JPEG_G_V = (1 << 16) - 46802,
};

#endif
