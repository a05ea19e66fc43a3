/* A picture's rows, as a row sink takes them. */
#ifndef SPOOL_BASELINE_ROWS_H
#define SPOOL_BASELINE_ROWS_H

#include "baseline.h"
#include "sink.h"

enum { SPOOL_BASELINE_RGB, SPOOL_BASELINE_GRAY };

typedef struct {
    int32_t color;
    int32_t width, height; /* of the picture that the sink was made for */
} spool_baseline_options;

/* Memory for an MCU row of samples: bytes of it at an address of a cache line. */
typedef struct {
    uint8_t *strip;
    size_t bytes;
    size_t needed; /* out */
    size_t room;   /* for the strip, and what a progressive picture takes beside it */
} spool_baseline_strip;

/* Whether the strip will do, its needs known: SPOOL_BASELINE_DONE, SPOOL_BASELINE_MEMORY, or SPOOL_BASELINE_TOO_LARGE.
 */
int spool_baseline_check_strip(const spool_baseline_decoder *decoder, const spool_baseline_strip *strip);

/*
 * Pushes the rows that the sink wants. Returns as spool_baseline_planes does, and SPOOL_BASELINE_MEMORY before
 * anything was pushed when the strip is too small. Where the answer is a reason, some rows may have been pushed:
 * the sink is of no use any more.
 */
int spool_baseline_rows(spool_baseline_decoder *decoder, const uint8_t *data, size_t size,
                        const spool_baseline_options *options, spool_baseline_strip *strip, spool_sink *sink,
                        const int32_t *flag);

#endif
