/*
 * Tables for the codes of one scan of a progressive image. One lookup gives the code and the bits after it. Progressive
 * files have custom tables in each scan, so these tables are small, built quickly, and not kept.
 */
#ifndef SPOOL_BASELINE_SCAN_TABLE_H
#define SPOOL_BASELINE_SCAN_TABLE_H

#include "coded.h"

enum { LOOK_SCAN = 10 };

/*
 * The meanings of symbols: differences of DC coefficients, coefficients, or coefficients that were zero up to this bit.
 */
typedef enum { SCAN_DC, SCAN_FIRST, SCAN_REFINE } scan_kind;

/* In place of a run, which is at most 15. */
enum {
    RUN_END = 16, /* the band ends in this block, and in value - 1 further blocks */
    RUN_LONG,     /* code and bits are longer than LOOK_SCAN, or there is no such code; no bits are taken */
    RUN_REASON,   /* the value is a reason */
};

typedef struct {
    int16_t value;  /* shifted up by `low` bits; 0: a run of 16 zeros */
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

/*
 * Reads the next entry if the table gives RUN_LONG; the result is never RUN_LONG. The reader is filled before and
 * after.
 */
scan_entry spool_baseline_decode_long(bit_reader *reader, const scan_table *table);

#endif
