/* Reverts the filters of PNG (specification, section 9). */
#ifndef SPOOL_PNG_FILTER_H
#define SPOOL_PNG_FILTER_H

#include <stddef.h>
#include <stdint.h>

enum { SPOOL_PNG_NONE, SPOOL_PNG_SUB, SPOOL_PNG_UP, SPOOL_PNG_AVERAGE, SPOOL_PNG_PAETH, SPOOL_PNG_FILTERS };

/* Vector code loads and stores up to this many bytes beyond the rows. */
#define SPOOL_PNG_SLACK 16

/*
 * Reverts the filters of n rows in place. A row has `bytes` bytes and is preceded by the byte of its filter, 0 to 4.
 * Rows are stride bytes apart, and the row above the first one is stride bytes before it. `distance` is the size of a
 * pixel, at least 1. SPOOL_PNG_SLACK bytes before the row above and after the last row are readable.
 */
typedef void spool_png_unfilter(uint8_t *row, size_t stride, int n, size_t bytes, int distance);

/* The implementations of this build, slowest first; level 0 is plain C. */
int spool_png_filter_levels(void);
const char *spool_png_filter_name(int level);
spool_png_unfilter *spool_png_filter_at(int level);

/* Runs one of them, for tests. */
void spool_png_unfilter_at(int level, uint8_t *row, size_t stride, int n, size_t bytes, int distance);

spool_png_unfilter spool_png_unfilter_scalar, spool_png_unfilter_simd;

#endif
