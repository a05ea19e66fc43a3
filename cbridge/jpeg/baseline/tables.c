#include "tables.h"

#include <string.h>

void spool_baseline_build_canonical(const jpeg_codes *codes, canonical_codes *c)
{
    const uint8_t *counts = codes->bytes;
    uint32_t code = 0;
    int symbol = 0;
    memset(c, 0, sizeof *c);
    memcpy(c->symbols, codes->bytes + 16, codes->size - 16);
    for (int length = 1; length <= MAX_CODE; length++) {
        c->offset[length] = symbol - (int32_t)code;
        code += counts[length - 1];
        symbol += counts[length - 1];
        c->beyond[length] = code << (MAX_CODE - length);
        code *= 2;
    }
}

/* A symbol that the bits of an entry's index begin with. */
typedef struct {
    enum { NONE, VALUE, END, LONG } kind;
    uint8_t length;  /* of the code, and of the bits of a VALUE */
    uint8_t advance; /* coefficients */
    uint8_t size;    /* of a LONG value */
    int16_t value;
} single;

/* Fills the `count` entries of one code, for all bits that may follow it. */
static void fill_code(single *entry, int count, int length, uint8_t symbol)
{
    const int run = symbol >> 4, size = symbol & 15, rest = LOOK - length - size;
    single one = {.kind = LONG, .length = length, .advance = run + 1, .size = size};

    if (size == 0) { /* the end of the block, 16 zeros, or not a symbol of a sequential scan */
        one.kind = run == 0 ? END : run == 15 ? VALUE : NONE;
    } else if (rest >= 0) {
        one.kind = VALUE;
        one.length = length + size;
    }
    for (int i = 0; i < count; i++) {
        if (one.kind == VALUE && size > 0)
            one.value = extended(i >> rest, size);
        entry[i] = one;
    }
}

static void build_single(const jpeg_codes *codes, single table[1 << LOOK])
{
    const uint8_t *symbol = codes->bytes + 16;
    int at = 0;
    memset(table, 0, sizeof(single) << LOOK);
    for (int length = 1; length <= LOOK; length++)
        for (int n = codes->bytes[length - 1]; n > 0; n--) {
            const int count = 1 << (LOOK - length);
            fill_code(table + at, count, length, *symbol++);
            at += count;
        }
}

/*
 * Combines a value with what else is complete in the bits after it: a second value that fits a byte, and the block's
 * end.
 */
static ac_entry join(const single table[1 << LOOK], int bits)
{
    const int mask = (1 << LOOK) - 1;
    const single *a = &table[bits], *b = &table[bits << a->length & mask];
    int left = LOOK - a->length;
    ac_entry e = {.length = a->length, .first = a->advance, .last = a->advance, .value = a->value};

    if (b->kind == VALUE && b->length <= left && b->value == (int8_t)b->value) {
        left -= b->length;
        e.length += b->length;
        e.last += b->advance;
        e.value2 = b->value;
        b = &table[bits << e.length & mask];
    }
    e.advance = e.last;
    if (b->kind == END && b->length <= left) {
        e.length += b->length;
        e.advance += ADVANCE_END;
    }
    return e;
}

void spool_baseline_build_ac(const jpeg_codes *codes, ac_table *table)
{
    single singles[1 << LOOK];
    build_single(codes, singles);
    spool_baseline_build_canonical(codes, &table->codes);
    for (int i = 0; i < 1 << LOOK; i++) {
        const single *s = &singles[i];
        ac_entry e = {.length = s->length, .first = 1, .last = 1};
        switch (s->kind) {
        case VALUE:
            e = join(singles, i);
            break;
        case END:
            e.advance = ADVANCE_END;
            break;
        case LONG:
            e.advance = ADVANCE_LONG + s->advance;
            e.size = s->size;
            break;
        case NONE:
            e.advance = ADVANCE_LONG;
            break;
        }
        table->entry[i] = e;
    }
}

void spool_baseline_build_dc(const jpeg_codes *codes, dc_table *table)
{
    const uint8_t *symbol = codes->bytes + 16;
    int at = 0;
    spool_baseline_build_canonical(codes, &table->codes);
    memset(table->entry, 0, sizeof table->entry);
    for (int length = 1; length <= LOOK_DC; length++)
        for (int n = codes->bytes[length - 1]; n > 0; n--, symbol++) {
            const int count = 1 << (LOOK_DC - length);
            const dc_entry e = {.length = length + *symbol, .code = length, .size = *symbol};
            for (int i = 0; i < count && e.length <= MAX_DC_FAST; i++)
                table->entry[at + i] = e;
            at += count;
        }
}

/* The code at the beginning of LOOK_SKIP bits. */
typedef struct {
    uint8_t length; /* 0: it is longer, or there is none */
    uint8_t symbol;
} leading_code;

static skip_entry skip(const leading_code table[1 << LOOK_SKIP], int bits)
{
    const int mask = (1 << LOOK_SKIP) - 1;
    int used = 0, advance = 0;
    while (used < LOOK_SKIP) {
        const leading_code c = table[bits << used & mask];
        const int run = c.symbol >> 4, size = c.symbol & 15;
        if (c.length == 0 || c.length > LOOK_SKIP - used || (size == 0 && run != 0 && run != 15))
            break;
        if (c.symbol == 0)
            return (skip_entry){used + c.length, advance + SKIP_END};
        if (advance + run + 1 >= BLOCK)
            break;
        used += c.length + size;
        advance += run + 1;
    }
    return used > 0 ? (skip_entry){used, advance} : (skip_entry){0, SKIP_NONE};
}

void spool_baseline_build_skip(const jpeg_codes *codes, skip_table *table)
{
    leading_code leading[1 << LOOK_SKIP] = {0};
    const uint8_t *symbol = codes->bytes + 16;
    leading_code *at = leading;
    spool_baseline_build_canonical(codes, &table->codes);
    for (int length = 1; length <= LOOK_SKIP; length++)
        for (int n = codes->bytes[length - 1]; n > 0; n--, symbol++)
            for (int i = 0; i < 1 << (LOOK_SKIP - length); i++)
                *at++ = (leading_code){length, *symbol};
    for (int i = 0; i < 1 << LOOK_SKIP; i++)
        table->entry[i] = skip(leading, i);
}
