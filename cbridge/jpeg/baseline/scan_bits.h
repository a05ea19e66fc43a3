/* Shared by first scans and refinement scans. */
#ifndef SPOOL_BASELINE_SCAN_BITS_H
#define SPOOL_BASELINE_SCAN_BITS_H

#include "order.h"
#include "scan_reader.h"

/* Reads the next entry, which is not RUN_LONG. The reader must be filled before. */
INLINE scan_entry next_entry(bit_reader *reader, const scan_table *table)
{
    const scan_entry e = table->entry[reader->bits >> (64 - LOOK_SCAN)];
    if (LIKELY(e.run != RUN_LONG)) {
        take_bits(reader, e.length);
        return e;
    }
    bit_reader copy = same(reader);
    const scan_entry rare = spool_baseline_decode_long(&copy, table);
    assign(reader, &copy);
    return rare;
}

/* Coefficient k in a set. */
INLINE uint64_t bit_of(int k)
{
    return (uint64_t)1 << 63 >> k;
}

#endif
