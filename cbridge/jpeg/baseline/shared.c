#include "shared.h"

#include <stdatomic.h>
#include <string.h>

enum { ENTRIES = 48, LONGEST = 16 + 256 };

enum { FREE, TAKEN, COMPLETE };

/* The bytes of a table's definition, and whether these and the built table may be read. */
typedef struct {
    _Atomic int state;
    uint32_t size;
    uint8_t bytes[LONGEST];
} table_key;

struct spool_baseline_tables {
    table_key dc_key[ENTRIES], ac_key[ENTRIES], skip_key[ENTRIES];
    dc_table dc[ENTRIES];
    ac_table ac[ENTRIES];
    skip_table skip[ENTRIES];
};

size_t spool_baseline_tables_bytes(void)
{
    return sizeof(spool_baseline_tables);
}

static int is_of(const table_key *key, const jpeg_codes *codes)
{
    return key->size == codes->size && memcmp(key->bytes, codes->bytes, codes->size) == 0;
}

/*
 * Returns the entry for these bytes, or a new one that the caller must fill, or ENTRIES. Two threads that look for the
 * same new table may both build it. The second entry is then never found, and does no harm.
 */
static int find(table_key keys[ENTRIES], const jpeg_codes *codes, int *found)
{
    for (int i = 0; i < ENTRIES; i++) {
        int state = atomic_load_explicit(&keys[i].state, memory_order_acquire);
        *found = state == COMPLETE && is_of(&keys[i], codes);
        if (*found)
            return i;
        if (state == FREE && atomic_compare_exchange_strong(&keys[i].state, &state, TAKEN)) {
            keys[i].size = codes->size;
            memcpy(keys[i].bytes, codes->bytes, codes->size);
            return i;
        }
    }
    return ENTRIES;
}

static void publish(table_key *key)
{
    atomic_store_explicit(&key->state, COMPLETE, memory_order_release);
}

const dc_table *spool_baseline_find_dc(spool_baseline_tables *shared, const jpeg_codes *codes, dc_table *own)
{
    int found, i = find(shared->dc_key, codes, &found);
    if (found)
        return &shared->dc[i];
    dc_table *table = i < ENTRIES ? &shared->dc[i] : own;
    spool_baseline_build_dc(codes, table);
    if (table != own)
        publish(&shared->dc_key[i]);
    return table;
}

const ac_table *spool_baseline_find_ac(spool_baseline_tables *shared, const jpeg_codes *codes, ac_table *own)
{
    int found, i = find(shared->ac_key, codes, &found);
    if (found)
        return &shared->ac[i];
    ac_table *table = i < ENTRIES ? &shared->ac[i] : own;
    spool_baseline_build_ac(codes, table);
    if (table != own)
        publish(&shared->ac_key[i]);
    return table;
}

const skip_table *spool_baseline_find_skip(spool_baseline_tables *shared, const jpeg_codes *codes, skip_table *own)
{
    int found, i = find(shared->skip_key, codes, &found);
    if (found)
        return &shared->skip[i];
    skip_table *table = i < ENTRIES ? &shared->skip[i] : own;
    spool_baseline_build_skip(codes, table);
    if (table != own)
        publish(&shared->skip_key[i]);
    return table;
}
