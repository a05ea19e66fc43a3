/*
 * Entropy decoding of progressive scans: coded data to some coefficients of blocks that other scans add to.
 *
 * Beside its coefficients each block has a set of those that are not zero, which tells where bits of
 * refinement belong without a look at the coefficients. Coefficient k of the zigzag is bit 63 - k, so that the
 * order of the bits is the order of the data.
 */
#ifndef SPOOL_BASELINE_SCAN_READER_H
#define SPOOL_BASELINE_SCAN_READER_H

#include "scan_table.h"
#include "scans.h"

/* The blocks of a component in a row of MCUs: v lines of them, whole MCUs wide. */
typedef struct {
    int16_t *blocks; /* in natural order, at an address that is a multiple of 16 */
    uint64_t *nonzero;
    int32_t h, v;
    int32_t columns;       /* of a line */
    int32_t width, height; /* of the picture, in blocks that it reaches into: those of a scan of this component alone */
} row_blocks;

/* The state of a scan. */
typedef struct {
    coded_data coded;
    const jpeg_scan *scan;
    int32_t interval; /* MCUs left before a restart marker; never 0 between MCUs where there is one to come */
    int32_t restarts; /* markers passed */
    int32_t ended;    /* blocks to come whose band has no more symbols */
    int32_t predicted[SPOOL_BASELINE_COMPONENTS]; /* the last DC coefficient of each component */
    scan_table table[SPOOL_BASELINE_COMPONENTS];
} scan_reader;

/*
 * Each of these takes the band of n blocks, one behind the other. They write within the blocks only, whatever the data
 * are. They return SPOOL_BASELINE_DONE or a reason.
 */
typedef int spool_baseline_band(scan_reader *s, int16_t *block, uint64_t *nonzero, int n);

spool_baseline_band spool_baseline_first_band, spool_baseline_refine_band, spool_baseline_refine_band_bmi2;

/* The one for refinement of a level, as spool_baseline_idct_at. */
spool_baseline_band *spool_baseline_refine_band_at(int level);

/* The DC coefficients of MCUs [first, last) of a row, or of line y of it in a scan of one component. */
int spool_baseline_first_dc(scan_reader *s, const row_blocks blocks[], int y, int first, int last);
int spool_baseline_refine_dc(scan_reader *s, const row_blocks blocks[], int y, int first, int last);

#endif
