/*
 * Entropy decoding of progressive scans: from coded data to some coefficients of blocks, which other scans complete.
 *
 * In addition to its coefficients, each block has the set of its nonzero coefficients. It defines where refinement bits
 * belong without reading the coefficients. Coefficient k of the zigzag is bit 63 - k, so the bits have the order of the
 * data.
 */
#ifndef SPOOL_BASELINE_SCAN_READER_H
#define SPOOL_BASELINE_SCAN_READER_H

#include "scan_table.h"
#include "scans.h"

/* The blocks of a component in an MCU row: v lines of whole MCUs. */
typedef struct {
    int16_t *blocks; /* in natural order, aligned to 16 */
    uint64_t *nonzero;
    int32_t h, v;
    int32_t columns;       /* of a line */
    int32_t width, height; /* of the image, in blocks that overlap it: those of a scan of this component alone */
} row_blocks;

/* The state of a scan. */
typedef struct {
    coded_data coded;
    const jpeg_scan *scan;
    int32_t interval; /* MCUs before the next restart marker; never 0 between MCUs if a marker follows */
    int32_t restarts; /* restart markers read */
    int32_t ended;    /* further blocks whose band has no more symbols */
    int32_t predicted[SPOOL_BASELINE_COMPONENTS]; /* the last DC coefficient of each component */
    scan_table table[SPOOL_BASELINE_COMPONENTS];
} scan_reader;

/*
 * Each of these decodes the band of n consecutive blocks. They write only within the blocks, whatever the data. They
 * return SPOOL_BASELINE_DONE or a reason.
 */
typedef int spool_baseline_band(scan_reader *s, int16_t *block, uint64_t *nonzero, int n);

spool_baseline_band spool_baseline_first_band, spool_baseline_refine_band, spool_baseline_refine_band_bmi2;

/* The refinement function of a level, as in spool_baseline_idct_at. */
spool_baseline_band *spool_baseline_refine_band_at(int level);

/* Decodes the DC coefficients of MCUs [first, last) of a row, or of its line y in a scan of one component. */
int spool_baseline_first_dc(scan_reader *s, const row_blocks blocks[], int y, int first, int last);
int spool_baseline_refine_dc(scan_reader *s, const row_blocks blocks[], int y, int first, int last);

#endif
