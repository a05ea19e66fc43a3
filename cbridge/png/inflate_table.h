/* The lookup tables of codes; see inflate_codes.h for their entries. */
#ifndef SPOOL_PNG_INFLATE_TABLE_H
#define SPOOL_PNG_INFLATE_TABLE_H

#include <stdint.h>

#define ENTRY_LITERAL (1u << 31)
#define ENTRY_ODD (1u << 15)
#define ENTRY_END (1u << 14)
#define ENTRY_SUBTABLE (1u << 13)

enum { BLOCK_ENDS = -1 }; /* returned by spool_inflate_codes, besides SPOOL_INFLATE_MORE and _ERROR */

enum { MAX_CODE = 15, MAX_SYMBOLS = 288 };

/*
 * Fills a table whose main part has 1 << bits entries. A symbol's entry is kinds[symbol] plus the length of its code.
 * Returns 0 for codes that zlib refuses: over-subscribed ones, and incomplete ones, except for a single code of one bit
 * or no code if may_be_short is set.
 */
int spool_inflate_build(uint32_t *table, int bits, const uint8_t *lengths, const uint32_t *kinds, int n,
                        int may_be_short);

#endif
