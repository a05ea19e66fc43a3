/* Conversion of inks to RGB. Adobe's JPEG files, and so libjpeg, store inverted inks: 255 is no ink. */
#ifndef SPOOL_JPEG_CMYK_H
#define SPOOL_JPEG_CMYK_H

#include "jpeg.h"

/* ink * black / 255, rounded, in the integer arithmetic of Pillow (Convert.c) and torchvision. */
static inline int spool_light(int ink, int black)
{
    int v = black * (255 - ink) + 128;
    return black - (((v >> 8) + v) >> 8);
}

/* Converts a row of n pixels. Gray is as in Pillow: ITU-R 601 in 16-bit fixed point, of the RGB pixel. */
static inline void spool_convert_cmyk(uint8_t *dst, const uint8_t *inks, size_t n, int color)
{
    for (size_t i = 0; i < n; i++, inks += 4) {
        if (color == SPOOL_JPEG_INKS) {
            for (int c = 0; c < 4; c++)
                dst[4 * i + c] = 255 - inks[c];
            continue;
        }
        int r = spool_light(inks[0], inks[3]);
        int g = spool_light(inks[1], inks[3]);
        int b = spool_light(inks[2], inks[3]);
        if (color == SPOOL_JPEG_GRAY) {
            dst[i] = (19595 * r + 38470 * g + 7471 * b + 32768) >> 16;
            continue;
        }
        dst[3 * i] = color == SPOOL_JPEG_BGR ? b : r;
        dst[3 * i + 1] = g;
        dst[3 * i + 2] = color == SPOOL_JPEG_BGR ? r : b;
    }
}

#endif
