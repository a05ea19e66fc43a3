/* A sink that keeps an area of a picture, with each loan of rows in memory of its own. */
#ifndef SPOOL_FUZZ_AREA_H
#define SPOOL_FUZZ_AREA_H

#include <stddef.h>
#include <stdint.h>

#include "sink.h"

typedef struct {
    spool_sink sink; /* first: the sink's functions get the whole from its address */
    int32_t width, channels;
    int32_t loan; /* rows that are lent at a time */
    int stops;    /* whether it says when it has enough */
    int32_t rows; /* that were pushed */
    uint8_t *lent;
    uint8_t *samples; /* the area's, rows without gaps */
} area_sink;

void open_area(area_sink *area);
void close_area(area_sink *area);
size_t area_bytes(const area_sink *area);

#endif
