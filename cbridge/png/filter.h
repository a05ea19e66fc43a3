/* The filters of PNG (specification, section 9), undone. */
#ifndef SPOOL_PNG_FILTER_H
#define SPOOL_PNG_FILTER_H

#include <stddef.h>
#include <stdint.h>

enum { SPOOL_PNG_NONE, SPOOL_PNG_SUB, SPOOL_PNG_UP, SPOOL_PNG_AVERAGE, SPOOL_PNG_PAETH, SPOOL_PNG_FILTERS };

/* Vector code loads and stores up to this many bytes beyond what it means. */
#define SPOOL_PNG_SLACK 16

/*
 * Undoes the filters of n rows in place. A row is `bytes` long and follows the byte that names its filter, one of
 * the five; rows are stride bytes apart, and the row above the first one lies stride bytes before it. `distance`
 * is the size of a pixel, at least 1. There are SPOOL_PNG_SLACK readable bytes before the row above and behind
 * the last row.
 */
typedef void spool_png_unfilter(uint8_t *row, size_t stride, int n, size_t bytes, int distance);

/* The implementations of this build, fastest last; level 0 is plain C. */
int spool_png_filter_levels(void);
const char *spool_png_filter_name(int level);
spool_png_unfilter *spool_png_filter_at(int level);

/* One of them, for tests. */
void spool_png_unfilter_at(int level, uint8_t *row, size_t stride, int n, size_t bytes, int distance);

spool_png_unfilter spool_png_unfilter_scalar, spool_png_unfilter_simd;

#endif
