/* Decoding to the rows of an image, for a row sink. */
#ifndef SPOOL_BASELINE_ROWS_H
#define SPOOL_BASELINE_ROWS_H

#include "baseline.h"
#include "sink.h"

enum { SPOOL_BASELINE_RGB, SPOOL_BASELINE_GRAY };

typedef struct {
    int32_t color;
    int32_t width, height; /* of the sink's image */
} spool_baseline_options;

/* Memory for an MCU row of samples, aligned to a cache line. */
typedef struct {
    uint8_t *strip;
    size_t bytes;
    size_t needed; /* out */
    size_t room;   /* limit for the strip and for a progressive image's memory */
} spool_baseline_strip;

/*
 * Checks that the strip is large enough: returns SPOOL_BASELINE_DONE, SPOOL_BASELINE_MEMORY, or
 * SPOOL_BASELINE_TOO_LARGE.
 */
int spool_baseline_check_strip(const spool_baseline_decoder *decoder, const spool_baseline_strip *strip);

/*
 * Pushes the rows that the sink requests. Returns as spool_baseline_planes, and SPOOL_BASELINE_MEMORY before any row is
 * pushed if the strip is too small. If the result is a reason, some rows may have been pushed, and the sink must not be
 * used again.
 */
int spool_baseline_rows(spool_baseline_decoder *decoder, const uint8_t *data, size_t size,
                        const spool_baseline_options *options, spool_baseline_strip *strip, spool_sink *sink,
                        const int32_t *flag);

#endif
