/* A sink that keeps an area of an image, and lends rows in separate allocations. */
#ifndef SPOOL_FUZZ_AREA_H
#define SPOOL_FUZZ_AREA_H

#include <stddef.h>
#include <stdint.h>

#include "sink.h"

typedef struct {
    spool_sink sink; /* first: the sink's functions convert its address to an area_sink */
    int32_t width, channels;
    int32_t loan; /* rows lent at a time */
    int stops;    /* whether it returns SPOOL_SINK_ENOUGH */
    int32_t rows; /* rows pushed */
    uint8_t *lent;
    uint8_t *samples; /* of the area, in rows without gaps */
} area_sink;

void open_area(area_sink *area);
void close_area(area_sink *area);
size_t area_bytes(const area_sink *area);

#endif
