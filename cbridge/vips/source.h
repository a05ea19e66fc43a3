#ifndef SPOOL_VIPS_SOURCE_H
#define SPOOL_VIPS_SOURCE_H

#include <vips/vips.h>

#include "load.h"

/* A picture that is open and not decoded yet. */
typedef struct {
    VipsImage *image;
    VipsSource *reader; /* that the loader reads, where it can be stopped by that; else NULL */
    int file;           /* that the loader reads, where it takes no memory; else -1 */
    const uint8_t *data;
    size_t size, at; /* of data, which the reader has come to */
    const volatile int32_t *cancel;
} spool_vips_picture;

/*
 * Opens a picture, which must not be moved. Its data, and the flag, which may be NULL, are lent until it is closed. Not
 * 0 when the loader refuses the header.
 */
int spool_vips_open(spool_vips_picture *picture, const void *data, size_t size, const spool_vips_source *source,
                    const volatile int32_t *cancel);
void spool_vips_close(spool_vips_picture *picture);

#endif
