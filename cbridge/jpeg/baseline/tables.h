/*
 * Tables for decoding Huffman codes. One lookup of LOOK bits gives the code and value of a coefficient, of two
 * coefficients if they fit, and the end of the block if it fits.
 */
#ifndef SPOOL_BASELINE_TABLES_H
#define SPOOL_BASELINE_TABLES_H

#include "markers.h"

enum {
    LOOK = 11,                        /* bits of an index into the AC table */
    LOOK_DC = 9,                      /* and into the DC table */
    LOOK_SKIP = 12,                   /* and into the table for skipping */
    MAX_CODE = 16,                    /* bits of a code */
    MAX_VALUE = 15,                   /* bits of a value */
    MAX_SKIP = LOOK_SKIP + MAX_VALUE, /* bits taken by an entry of the table for skipping */
    MAX_DC_FAST = 20 /* bits of code and value that an entry of the DC table takes: larger sizes take canonical codes */
};

/* Flags in ac_entry.advance, which is below 2 * 16 without them. */
enum { ADVANCE_END = 64, ADVANCE_LONG = 128 };

/*
 * Eight bytes, each read separately, which is faster than shifts. From coefficient k on, `value` goes to k + first and
 * `value2` to k + last. They are stored in the reverse order, so for an entry with one coefficient both are equal.
 *
 * advance                       the last coefficient is k + last
 * advance + ADVANCE_END         the same, and the block ends
 * ADVANCE_END                   the block ends with k; a zero goes to k + 1 if that exists
 * advance + ADVANCE_LONG        the code of a value whose `size` bits follow; it belongs to k + advance
 * ADVANCE_LONG, size 0          a code longer than LOOK or none, of which no bits are taken; or an invalid symbol
 *
 * The last two also write a zero to k + 1.
 */
typedef struct {
    uint8_t length; /* bits taken */
    uint8_t first;
    uint8_t advance;
    uint8_t size;
    int16_t value;
    int8_t value2;
    uint8_t last;
} ac_entry;

_Static_assert(sizeof(ac_entry) == 8, "an entry is found by a scaled index");

typedef struct {
    uint8_t length; /* of code and value; 0: decode it by canonical codes */
    uint8_t code;   /* length of the code alone */
    uint8_t size;   /* of the value */
    uint8_t unused;
} dc_entry;

/*
 * As many whole codes as LOOK_SKIP bits contain, with the bits of their values: the number of coefficients, and
 * SKIP_END if the block ends after them. Without a code, length is 0, and advance has its maximum.
 */
typedef struct {
    uint8_t length, advance;
} skip_entry;

enum { SKIP_END = 128, SKIP_NONE = 255 };

/* Codes of any length. Codes of `length` are below beyond[length], compared with the first 16 unread bits. */
typedef struct {
    uint32_t beyond[MAX_CODE + 1];
    int32_t offset[MAX_CODE + 1]; /* from a code to its symbol */
    uint8_t symbols[256];
} canonical_codes;

typedef struct {
    ac_entry entry[1 << LOOK];
    canonical_codes codes;
} ac_table;

typedef struct {
    dc_entry entry[1 << LOOK_DC];
    canonical_codes codes;
} dc_table;

/* The AC table for blocks whose coefficients are not used. */
typedef struct {
    skip_entry entry[1 << LOOK_SKIP];
    canonical_codes codes;
} skip_table;

void spool_baseline_build_canonical(const jpeg_codes *codes, canonical_codes *c);
void spool_baseline_build_ac(const jpeg_codes *codes, ac_table *table);
void spool_baseline_build_dc(const jpeg_codes *codes, dc_table *table);
void spool_baseline_build_skip(const jpeg_codes *codes, skip_table *table);

/* The value of the bits of a symbol with `size`: T.81, figure F.12. */
static inline int extended(unsigned bits, unsigned size)
{
    return size == 0 || bits >> (size - 1) ? (int)bits : (int)bits + 1 - (1 << size);
}

#endif
