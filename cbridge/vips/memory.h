#ifndef SPOOL_VIPS_MEMORY_H
#define SPOOL_VIPS_MEMORY_H

#include "load.h"

/* A sink that writes to plain memory: the image's rows, stride bytes apart. */
typedef struct {
    spool_sink sink;
    uint8_t *pixels;
    ptrdiff_t stride;
    size_t row_bytes;
    int32_t next; /* row */
} spool_vips_memory;

/* Initializes the sink for the requested image; pixels has room for it. */
spool_sink *spool_vips_memory_init(spool_vips_memory *memory, uint8_t *pixels, const spool_vips_request *request);

#endif
