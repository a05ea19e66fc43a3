#ifndef SPOOL_VIPS_SOURCE_H
#define SPOOL_VIPS_SOURCE_H

#include <vips/vips.h>

#include "load.h"

/* A picture that is open and not decoded yet. */
typedef struct {
    VipsImage *image;
    int file; /* that the loader reads, where it takes no memory; else -1 */
} spool_vips_picture;

/* Opens a picture; its data are lent until it is closed. Not 0 when the loader refuses the header. */
int spool_vips_open(spool_vips_picture *picture, const void *data, size_t size, const spool_vips_source *source);
void spool_vips_close(spool_vips_picture *picture);

#endif
