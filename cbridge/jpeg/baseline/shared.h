/*
 * A cache of built tables, with their definitions as keys. Most files share a few tables, and building a set takes as
 * long as decoding a tenth of a photo.
 *
 * Entries are written once and never change or move, so a complete entry is read without a lock. When all entries are
 * taken, new tables are built in the decoder's memory, again for each image.
 */
#ifndef SPOOL_BASELINE_SHARED_H
#define SPOOL_BASELINE_SHARED_H

#include "tables.h"

/* A decoder's tables that are not shared. */
typedef struct {
    dc_table dc[TABLES];
    ac_table ac[TABLES];
    skip_table skip[TABLES];
} own_tables;

const dc_table *spool_baseline_find_dc(spool_baseline_tables *shared, const jpeg_codes *codes, dc_table *own);
const ac_table *spool_baseline_find_ac(spool_baseline_tables *shared, const jpeg_codes *codes, ac_table *own);
const skip_table *spool_baseline_find_skip(spool_baseline_tables *shared, const jpeg_codes *codes, skip_table *own);

#endif
