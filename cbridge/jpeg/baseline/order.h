/* Where coefficients lie in a block. */
#ifndef SPOOL_BASELINE_ORDER_H
#define SPOOL_BASELINE_ORDER_H

#include <stdint.h>

/*
 * The place of coefficient k of the zigzag, row by row. One entry of a table of codes takes a block from
 * coefficient 62 at most to 62 + 32 (tables.h), before it is seen that this is too far: what lies beyond the
 * block is sent to its last place.
 */
enum { ORDER_LENGTH = 62 + 32 + 1 };
extern const uint8_t spool_baseline_order[ORDER_LENGTH];

#endif
