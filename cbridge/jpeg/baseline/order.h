/* The places of coefficients in a block. */
#ifndef SPOOL_BASELINE_ORDER_H
#define SPOOL_BASELINE_ORDER_H

#include <stdint.h>

/*
 * The place in natural order of coefficient k of the zigzag. One entry of a table of codes may advance from coefficient
 * 62 to at most 62 + 32 (tables.h), before this is detected. Coefficients beyond the block are written to its last
 * place.
 */
enum { ORDER_LENGTH = 62 + 32 + 1 };
extern const uint8_t spool_baseline_order[ORDER_LENGTH];

#endif
