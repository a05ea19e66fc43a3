/*
 * Adds one bit to a band's coefficients: one body for every instruction set. The including file defines
 *
 *   REFINE_BAND          the function's name
 *   nth(set, n)          the element after n others, as a set of one element, or the empty set
 *   read_bits(r, set)    the elements for which the next bits are 1, with a bit for each element. The reader must have
 *                        READ_BITS bits. Afterwards the number of its bits is unspecified.
 */

INLINE void add_bits(int16_t *block, uint64_t set, int low)
{
    for (; set != 0; set &= set - 1) {
        int16_t *c = &block[spool_baseline_order[BLOCK - 1 - __builtin_ctzll(set)]];
        *c += *c < 0 ? -(1 << low) : 1 << low;
    }
}

int REFINE_BAND(scan_reader *s, int16_t *block, uint64_t *nonzero, int n)
{
    const scan_table *table = &s->table[0];
    const uint64_t band = 2 * bit_of(s->scan->first) - bit_of(s->scan->last);
    const int low = s->scan->low;
    bit_reader reader = same(&s->coded.reader);
    int ended = s->ended;

    for (int i = 0; i < n; i++) {
        const uint64_t known = nonzero[i] & band;
        if (ended > 0 && known == 0) {
            ended--;
            continue;
        }
        const int reason = make_ready(&s->coded, &reader);
        if (UNLIKELY(reason != SPOOL_BASELINE_DONE))
            return reason;
        int16_t *coefficients = block + (ptrdiff_t)BLOCK * i;
        uint64_t rest = band, added = 0, fresh = 0;
        while (ended == 0 && rest != 0) {
            fill_bits(&reader);
            const scan_entry e = next_entry(&reader, table);
            if (e.run >= RUN_END) {
                if (UNLIKELY(e.run == RUN_REASON))
                    return e.value;
                ended = e.value;
                break;
            }
            /* The nonzero coefficients before it get a bit each. */
            const uint64_t place = nth(rest & ~known, e.run);
            if (UNLIKELY(place == 0))
                return SPOOL_BASELINE_RUN;
            const uint64_t passed = rest & known & -place;
            rest &= place - 1;
            added |= read_bits(&reader, passed);
            if (LIKELY(e.value != 0)) {
                coefficients[spool_baseline_order[__builtin_clzll(place)]] = e.value;
                fresh |= place;
            }
        }
        if (ended > 0) {
            fill_bits(&reader);
            added |= read_bits(&reader, rest & known);
            ended--;
        }
        nonzero[i] |= fresh;
        add_bits(coefficients, added, low);
    }
    s->ended = ended;
    return finish_run(&s->coded, &reader);
}
