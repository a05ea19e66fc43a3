/*
 * Tables that were built before, found by the bytes that they were built of: most files share a few, and to
 * build a set takes as long as to decode a tenth of a photo.
 *
 * Entries are written once and never change or go: whoever finds one complete reads it without a lock. When
 * all are taken, tables that are new are built in the decoder's own memory, again for each picture.
 */
#ifndef SPOOL_BASELINE_SHARED_H
#define SPOOL_BASELINE_SHARED_H

#include "tables.h"

/* A decoder's own tables, for those that are not shared. */
typedef struct {
    dc_table dc[TABLES];
    ac_table ac[TABLES];
    skip_table skip[TABLES];
} own_tables;

const dc_table *spool_baseline_find_dc(spool_baseline_tables *shared, const jpeg_codes *codes, dc_table *own);
const ac_table *spool_baseline_find_ac(spool_baseline_tables *shared, const jpeg_codes *codes, ac_table *own);
const skip_table *spool_baseline_find_skip(spool_baseline_tables *shared, const jpeg_codes *codes, skip_table *own);

#endif
