/*
 * Progressive images. All scans are read in parallel, one MCU row of each at a time. Their sum stays in the cache and
 * is transformed at once, so the coefficients of the whole image are never stored.
 */
#ifndef SPOOL_BASELINE_PROGRESSIVE_H
#define SPOOL_BASELINE_PROGRESSIVE_H

#include "scan_reader.h"

typedef struct {
    /* Allocated memory: a state and a window for each of `readers` scans, and a row of blocks. */
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
} progressive_image;

/* Reads the image's scans and begins each. Returns SPOOL_BASELINE_SCAN_MEMORY if they need more memory. */
int spool_baseline_open_scans(progressive_image *p, jpeg_header *header);

/* Decodes the next MCU row to `blocks`. */
int spool_baseline_read_row(progressive_image *p, const jpeg_header *header, int row);

/* Checks that the scans end after the last row. */
int spool_baseline_close_scans(progressive_image *p);

#endif
