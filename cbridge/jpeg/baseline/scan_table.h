/*
 * Tables for the codes of one scan of a progressive picture. One lookup gives the code and the bits behind it. These
 * files bring tables of their own for each scan, so they are small, soon built, and not kept.
 */
#ifndef SPOOL_BASELINE_SCAN_TABLE_H
#define SPOOL_BASELINE_SCAN_TABLE_H

#include "coded.h"

enum { LOOK_SCAN = 10 };

/* What symbols mean: differences of DC coefficients, coefficients, or coefficients that were zero up to this bit. */
typedef enum { SCAN_DC, SCAN_FIRST, SCAN_REFINE } scan_kind;

/* Instead of a run, which is 15 at most. */
enum {
    RUN_END = 16, /* the band ends in this block, and in value - 1 blocks more */
    RUN_LONG,     /* code and bits are longer than LOOK_SCAN, or there is no such code: none is taken */
    RUN_REASON,   /* the value is a reason */
};

typedef struct {
    int16_t value;  /* at its place, `low` bits up; 0: a run of 16 zeros */
    uint8_t length; /* bits taken */
    uint8_t run;    /* zeros before the value */
} scan_entry;

typedef struct {
    scan_entry entry[1 << LOOK_SCAN];
    canonical_codes codes;
    scan_kind kind;
    int low;
} scan_table;

void spool_baseline_build_scan(const jpeg_codes *codes, scan_kind kind, int low, scan_table *table);

/* What follows, where the table says RUN_LONG: never that again. The reader was filled before, and is so after. */
scan_entry spool_baseline_decode_long(bit_reader *reader, const scan_table *table);

#endif
