#include "blocks.h"

#include "order.h"

enum {
    LAST = BLOCK - 1,
    FILLED = 56,           /* bits in a reader after fill_bits */
    LOOKS = FILLED / LOOK, /* lookups for which these are enough */
    LOOKS_AFTER_DC = (FILLED - MAX_DC_FAST) / LOOK,
    SKIPS = FILLED / MAX_SKIP,
    SKIPS_AFTER_DC = (FILLED - MAX_DC_FAST) / MAX_SKIP,
};

_Static_assert(LOOK >= LOOK_DC && FILLED >= MAX_CODE + MAX_VALUE, "a filled reader has the bits of one coefficient");

COLD int spool_baseline_decode_symbol(bit_reader *reader, const canonical_codes *codes)
{
    const uint32_t word = reader->bits >> (64 - MAX_CODE);
    for (int length = 1; length <= MAX_CODE; length++)
        if (word < codes->beyond[length]) {
            take_bits(reader, length);
            return codes->symbols[codes->offset[length] + (int)(word >> (MAX_CODE - length))];
        }
    return -1;
}

/*
 * The result of decode_difference if there is no such code. The reader must be filled before; afterwards it has bits
 * for LOOKS_AFTER_DC lookups.
 */
enum { NO_DIFFERENCE = 1 << 20 };

INLINE int decode_difference(bit_reader *reader, const dc_table *table)
{
    const dc_entry *e = &table->entry[reader->bits >> (64 - LOOK_DC)];
    if (LIKELY(e->length != 0)) {
        take_bits(reader, e->code);
        return take_value(reader, e->size);
    }
    bit_reader copy = same(reader);
    const int symbol = spool_baseline_decode_symbol(&copy, &table->codes);
    if (symbol < 0)
        return NO_DIFFERENCE;
    const int value = take_value(&copy, symbol);
    fill_bits(&copy);
    assign(reader, &copy);
    return value;
}

/* The result of decode_single, after an entry that may end the block or cannot be used whole. */
typedef struct {
    int k;     /* the last coefficient; BLOCK: none, the block ends */
    int value; /* of this coefficient */
    int reason;
} resumed;

/*
 * Decodes one coefficient, or the end of the block, from its code alone. An entry of the table took `taken` bits. k is
 * the preceding coefficient.
 */
static COLD resumed decode_single(bit_reader *reader, unsigned taken, const canonical_codes *codes, int k)
{
    *reader = stepped_back(*reader, taken);
    const int symbol = spool_baseline_decode_symbol(reader, codes);
    const int run = symbol >> 4, size = symbol & 15;

    if (symbol < 0 || (size == 0 && run != 0 && run != 15))
        return (resumed){.reason = SPOOL_BASELINE_CODE};
    if (size == 0 && run == 0)
        return (resumed){.k = BLOCK};
    if (k + run + 1 > LAST)
        return (resumed){.reason = SPOOL_BASELINE_RUN};
    return (resumed){.k = k + run + 1, .value = take_value(reader, size)};
}

/*
 * Decodes the coefficients of a block after the first. The reader has bits for `looks` lookups. An entry that exceeds
 * the block's end is detected only after its coefficients were written. They go to place 63 (order.h), the later one
 * first, so a valid coefficient there is kept. (If the first exceeds the end, too, the block is not used.)
 */
INLINE int decode_rest(bit_reader *reader, const ac_table *table, int16_t *block, int looks)
{
    size_t k = 0;
    for (;;) {
        const ac_entry *e;
        do {
            e = &table->entry[reader->bits >> (64 - LOOK)];
            take_bits(reader, e->length);
            block[spool_baseline_order[k + e->last]] = e->value2;
            block[spool_baseline_order[k + e->first]] = e->value;
            k += e->advance;
        } while (k < LAST && --looks > 0);
        looks = LOOKS;
        if (LIKELY(k < LAST)) {
            fill_bits(reader);
            continue;
        }
        const size_t before = k - e->advance;
        if (e->advance < ADVANCE_END) {
            if (k == LAST)
                return SPOOL_BASELINE_DONE;
        } else if (e->advance < ADVANCE_LONG) {
            if (LIKELY(before + e->last < LAST))
                return SPOOL_BASELINE_DONE;
        } else if (LIKELY(e->size != 0)) {
            k -= ADVANCE_LONG;
            fill_bits(reader);
            const int value = take_value(reader, e->size);
            if (UNLIKELY(k > LAST))
                return SPOOL_BASELINE_RUN;
            block[spool_baseline_order[k]] = value;
            if (k == LAST)
                return SPOOL_BASELINE_DONE;
            fill_bits(reader);
            continue;
        }
        /* Only the first symbol of this entry may belong to the block, or its code is too long for the table. */
        bit_reader copy = same(reader);
        const resumed r = decode_single(&copy, e->length, &table->codes, before);
        assign(reader, &copy);
        if (r.reason != SPOOL_BASELINE_DONE)
            return r.reason;
        if (r.k == BLOCK)
            return SPOOL_BASELINE_DONE;
        k = r.k;
        block[spool_baseline_order[k]] = r.value;
        if (k == LAST)
            return SPOOL_BASELINE_DONE;
        fill_bits(reader);
    }
}

/* Adds the difference to the preceding DC coefficient. Returns a reason on failure. */
INLINE int predict(int32_t *predicted, int difference)
{
    if (UNLIKELY(difference == NO_DIFFERENCE))
        return SPOOL_BASELINE_CODE;
    *predicted += difference;
    return LIKELY(*predicted == (int16_t)*predicted) ? SPOOL_BASELINE_DONE : SPOOL_BASELINE_RANGE;
}

/* Skips the coefficients of a block after the first. */
INLINE int skip_rest(bit_reader *reader, const skip_table *table, int skips)
{
    size_t k = 0;
    for (;;) {
        const skip_entry *e;
        do {
            e = &table->entry[reader->bits >> (64 - LOOK_SKIP)];
            take_bits(reader, e->length);
            k += e->advance;
        } while (k < LAST && --skips > 0);
        skips = SKIPS;
        if (LIKELY(k < LAST)) {
            fill_bits(reader);
            continue;
        }
        const size_t before = k - e->advance;
        if (LIKELY(k >= SKIP_END && k < SKIP_END + LAST) || k == LAST)
            return SPOOL_BASELINE_DONE;
        /* Only the first of these symbols may belong to the block, or there is none. */
        bit_reader copy = same(reader);
        const resumed r = decode_single(&copy, e->length, &table->codes, before);
        assign(reader, &copy);
        if (r.reason != SPOOL_BASELINE_DONE)
            return r.reason;
        if (r.k >= LAST)
            return SPOOL_BASELINE_DONE;
        k = r.k;
        fill_bits(reader);
    }
}

enum { ALL_COEFFICIENTS, SOME_FIRST_ONES, NONE };

INLINE int decode_mcus(coded_data *coded, mcu_plan *plan, const int which, int first, int last)
{
    bit_reader reader = same(&coded->reader);
    for (int mcu = first; mcu < last; mcu++) {
        int reason = make_ready(coded, &reader);
        for (const mcu_block *b = plan->block, *end = b + plan->blocks; b < end; b++) {
            if (UNLIKELY(reason != SPOOL_BASELINE_DONE))
                return reason;
            fill_bits(&reader);
            reason = predict(&plan->predicted[b->component], decode_difference(&reader, b->dc));
            if (UNLIKELY(reason != SPOOL_BASELINE_DONE))
                return reason;
            int16_t *block = b->blocks + (ptrdiff_t)b->step * mcu;
            if (which != NONE)
                block[0] = plan->predicted[b->component];
            if (which == NONE || (which == SOME_FIRST_ONES && b->first_only))
                reason = skip_rest(&reader, b->skip, SKIPS_AFTER_DC);
            else
                reason = decode_rest(&reader, b->ac, block, LOOKS_AFTER_DC);
        }
        if (UNLIKELY(reason != SPOOL_BASELINE_DONE))
            return reason;
    }
    return finish_run(coded, &reader);
}

int spool_baseline_decode_mcus(coded_data *coded, mcu_plan *plan, int first, int last)
{
    return plan->some_first_only ? decode_mcus(coded, plan, SOME_FIRST_ONES, first, last)
                                 : decode_mcus(coded, plan, ALL_COEFFICIENTS, first, last);
}

int spool_baseline_skip_mcus(coded_data *coded, mcu_plan *plan, int n)
{
    return decode_mcus(coded, plan, NONE, 0, n);
}
