/* From planes to RGB, as Pillow's libavif does it. */
#ifndef SPOOL_AVIF_CONVERT_H
#define SPOOL_AVIF_CONVERT_H

#include <avif/avif.h>

/*
 * Converts a band of rows. narrow is an 8-bit image of the band's layout with memory for its rows, or
 * NULL where spool_avif_narrows says no. The view's matrix and alpha plane may be changed; its samples are not.
 */
avifResult spool_avif_convert(avifImage *view, avifImage *narrow, avifRGBImage *rgb);

/* Whether a picture of more than 8 bits goes through 8-bit planes on its way to 8-bit RGB. */
int spool_avif_narrows(const avifImage *image, int has_alpha);

#endif
