/*
 * Progressive pictures: all scans are read side by side, a row of MCUs of each at a time. So what they
 * add up to stays in the cache and is transformed at once, and no picture's worth of coefficients is kept.
 */
#ifndef SPOOL_BASELINE_PROGRESSIVE_H
#define SPOOL_BASELINE_PROGRESSIVE_H

#include "scan_reader.h"

typedef struct {
    /* Memory as it was given: a state and a window for each of `readers` scans, and a row of blocks. */
    int readers;
    scan_reader *reader[MAX_SCANS];
    size_t row_blocks;
    int16_t *coefficients;
    uint64_t *nonzero;

    spool_baseline_band *refine_band;
    int scans;
    jpeg_scan scan[MAX_SCANS];
    size_t needed; /* blocks of a row */
    row_blocks blocks[SPOOL_BASELINE_COMPONENTS];
} progressive_picture;

/* Reads the picture's scans and begins with each. Returns SPOOL_BASELINE_SCAN_MEMORY where they need more. */
int spool_baseline_open_scans(progressive_picture *p, jpeg_header *header);

/* Decodes the next row of MCUs, to `blocks`. */
int spool_baseline_read_row(progressive_picture *p, const jpeg_header *header, int row);

/* Checks that the scans end behind the last row. */
int spool_baseline_close_scans(progressive_picture *p);

#endif
