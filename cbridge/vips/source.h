#ifndef SPOOL_VIPS_SOURCE_H
#define SPOOL_VIPS_SOURCE_H

#include <vips/vips.h>

#include "load.h"

/* An open image that is not decoded yet. */
typedef struct {
    VipsImage *image;
    VipsSource *reader; /* for loaders that read a source, which can be stopped; else NULL */
    int file;           /* for loaders that need a file; else -1 */
    const uint8_t *data;
    size_t size, at; /* size of data, and the position of reader */
    const volatile int32_t *cancel;
} spool_vips_input;

/*
 * Opens an image, which must not be moved. Data and the flag, which may be NULL, are borrowed until it is closed.
 * Returns 0 on success, and another value if the loader refuses the header.
 */
int spool_vips_open(spool_vips_input *input, const void *data, size_t size, const spool_vips_source *source,
                    const volatile int32_t *cancel);
void spool_vips_close(spool_vips_input *input);

#endif
