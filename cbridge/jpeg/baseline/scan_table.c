#include "scan_table.h"

#include "blocks.h"

_Static_assert(MAX_CODE + MAX_VALUE <= 56, "a filled reader has the bits of one symbol");

/* The meaning of a symbol: its run, or a RUN_ constant, and the number of bits after its code. */
typedef struct {
    int run, bits;
} symbol_meaning;

static symbol_meaning meaning_of(scan_kind kind, int symbol)
{
    const int run = symbol >> 4, size = symbol & 15;
    if (kind == SCAN_DC)
        return (symbol_meaning){.bits = symbol};
    if (size == 0 && run < 15)
        return (symbol_meaning){RUN_END, run};
    if (kind == SCAN_REFINE && size > 1)
        return (symbol_meaning){.run = RUN_REASON};
    return (symbol_meaning){run, size};
}

static scan_entry entry_of(symbol_meaning m, unsigned bits, int low)
{
    scan_entry e = {.run = m.run};
    if (m.run == RUN_END) {
        e.value = (1 << m.bits) + bits;
    } else if (m.run == RUN_REASON) {
        e.value = SPOOL_BASELINE_CODE;
    } else {
        const int value = extended(bits, m.bits) * (1 << low);
        e.value = value;
        if (e.value != value)
            e = (scan_entry){.run = RUN_REASON, .value = SPOOL_BASELINE_RANGE};
    }
    return e;
}

void spool_baseline_build_scan(const jpeg_codes *codes, scan_kind kind, int low, scan_table *table)
{
    const uint8_t *symbol = codes->bytes + 16;
    scan_entry *entry = table->entry;

    spool_baseline_build_canonical(codes, &table->codes);
    table->kind = kind;
    table->low = low;
    for (int length = 1; length <= LOOK_SCAN; length++)
        for (int n = codes->bytes[length - 1]; n > 0; n--, symbol++) {
            const symbol_meaning m = meaning_of(kind, *symbol);
            const int rest = LOOK_SCAN - length - m.bits;
            scan_entry e = {.run = RUN_LONG};
            for (int i = 0; i < 1 << (LOOK_SCAN - length); i++) {
                if (rest >= 0 && (i & ((1 << rest) - 1)) == 0) {
                    e = entry_of(m, i >> rest, low);
                    e.length = length + m.bits;
                }
                *entry++ = e;
            }
        }
    while (entry < table->entry + (1 << LOOK_SCAN))
        *entry++ = (scan_entry){.run = RUN_LONG};
}

COLD scan_entry spool_baseline_decode_long(bit_reader *reader, const scan_table *table)
{
    const int symbol = spool_baseline_decode_symbol(reader, &table->codes);
    if (symbol < 0)
        return (scan_entry){.run = RUN_REASON, .value = SPOOL_BASELINE_CODE};
    const symbol_meaning m = meaning_of(table->kind, symbol);
    const unsigned bits = reader->bits >> 1 >> (63 - m.bits);
    take_bits(reader, m.bits);
    fill_bits(reader);
    return entry_of(m, bits, table->low);
}
