/* Conversion of planes to RGB, as by Pillow's libavif. */
#ifndef SPOOL_AVIF_CONVERT_H
#define SPOOL_AVIF_CONVERT_H

#include <avif/avif.h>

/*
 * Converts a band of rows. narrow is an 8-bit image with the band's chroma subsampling and memory for its rows, or NULL
 * if spool_avif_narrows returns 0. The function may change the view's matrix and alpha plane, but not its samples.
 */
avifResult spool_avif_convert(avifImage *view, avifImage *narrow, avifRGBImage *rgb);

/* Reports whether an image of more than 8 bits is converted to 8-bit RGB through 8-bit planes. */
int spool_avif_narrows(const avifImage *image, int has_alpha);

#endif
