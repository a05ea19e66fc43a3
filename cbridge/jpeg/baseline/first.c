/* First scans, which have the upper bits of coefficients. */
#include "scan_bits.h"

int spool_baseline_first_band(scan_reader *s, int16_t *block, uint64_t *nonzero, int n)
{
    const scan_table *table = &s->table[0];
    const int first = s->scan->first, last = s->scan->last;
    bit_reader reader = same(&s->coded.reader);
    int ended = s->ended;

    for (int i = 0; i < n; i++) {
        if (ended > 0) {
            const int skipped = ended < n - i ? ended : n - i;
            ended -= skipped;
            i += skipped - 1;
            continue;
        }
        const int reason = make_ready(&s->coded, &reader);
        if (UNLIKELY(reason != SPOOL_BASELINE_DONE))
            return reason;
        int16_t *coefficients = block + (ptrdiff_t)BLOCK * i;
        uint64_t set = 0;
        for (int k = first; k <= last; k++) {
            fill_bits(&reader);
            const scan_entry e = next_entry(&reader, table);
            if (e.run >= RUN_END) {
                if (UNLIKELY(e.run == RUN_REASON))
                    return e.value;
                ended = e.value - 1;
                break;
            }
            k += e.run;
            if (UNLIKELY(k > last))
                return SPOOL_BASELINE_RUN;
            if (LIKELY(e.value != 0)) {
                coefficients[spool_baseline_order[k]] = e.value;
                set |= bit_of(k);
            }
        }
        nonzero[i] |= set;
    }
    s->ended = ended;
    return finish_run(&s->coded, &reader);
}

int spool_baseline_first_dc(scan_reader *s, const row_blocks blocks[], int y, int first, int last)
{
    const jpeg_scan *scan = s->scan;
    bit_reader reader = same(&s->coded.reader);

    for (int mcu = first; mcu < last; mcu++) {
        int reason = make_ready(&s->coded, &reader);
        if (UNLIKELY(reason != SPOOL_BASELINE_DONE))
            return reason;
        for (int i = 0; i < scan->components; i++) {
            const row_blocks *c = &blocks[scan->component[i]];
            const int h = scan->components > 1 ? c->h : 1, v = scan->components > 1 ? c->v : 1;
            int16_t *line = c->blocks + ((ptrdiff_t)y * c->columns + (ptrdiff_t)mcu * h) * BLOCK;
            for (int j = 0; j < v; j++, line += (ptrdiff_t)c->columns * BLOCK)
                for (int x = 0; x < h; x++) {
                    fill_bits(&reader);
                    const scan_entry e = next_entry(&reader, &s->table[i]);
                    if (UNLIKELY(e.run != 0))
                        return e.value; /* a table of DC codes has no RUN_END */
                    const int32_t value = s->predicted[i] + e.value;
                    if (UNLIKELY(value != (int16_t)value))
                        return SPOOL_BASELINE_RANGE;
                    s->predicted[i] = value;
                    line[x * BLOCK] = value;
                }
        }
    }
    return finish_run(&s->coded, &reader);
}
