#include "inflate_table.h"

#include <string.h>

/* The entry of a symbol whose code has `length` bits in this table. */
static uint32_t entry_of(uint32_t kind, int length)
{
    return kind + (uint32_t)length + ((uint32_t)length << 8);
}

/* The code after this one, both with their first bit lowest; 0 after the last code. */
static unsigned next_code(unsigned code, int length)
{
    const unsigned zeros = code ^ ((1u << length) - 1);
    if (zeros == 0)
        return 0;
    const unsigned bit = 1u << (31 - __builtin_clz(zeros));
    return (code & (bit - 1)) | bit;
}

/* Sorts symbols by the lengths of their codes. */
static void sort(const uint8_t *lengths, int n, const uint16_t count[MAX_CODE + 1], uint16_t sorted[MAX_SYMBOLS])
{
    uint16_t at[MAX_CODE + 2] = {0};
    for (int length = 1; length <= MAX_CODE; length++)
        at[length + 1] = at[length] + count[length];
    for (int symbol = 0; symbol < n; symbol++)
        if (lengths[symbol] > 0)
            sorted[at[lengths[symbol]]++] = symbol;
}

/* The number of unused codes of the longest length: negative if there are too many codes, 0 for a complete code. */
static int32_t codes_left(const uint16_t count[MAX_CODE + 1])
{
    int32_t left = 1;
    for (int length = 1; length <= MAX_CODE; length++) {
        left = 2 * left - count[length];
        if (left < 0)
            return left;
    }
    return left;
}

/* Builds the table of a code with one symbol or none: all other bits are an error. */
static int build_short(uint32_t *table, int bits, const uint16_t count[MAX_CODE + 1], uint32_t only)
{
    for (int length = 2; length <= MAX_CODE; length++)
        if (count[length] > 0)
            return 0;
    for (unsigned i = 0; i < 1u << bits; i++)
        table[i] = count[1] > 0 && (i & 1) == 0 ? entry_of(only, 1) : ENTRY_ODD;
    return 1;
}

/* Bits of the subtable that begins with a code of this length, in addition to the main table's. */
static int subtable_bits(const uint16_t count[MAX_CODE + 1], int bits, int length, int done)
{
    int32_t room = (1 << (length - bits)) - (count[length] - done);
    while (room > 0 && length < MAX_CODE) {
        length++;
        room = 2 * room - count[length];
    }
    return length - bits;
}

int spool_inflate_build(uint32_t *table, int bits, const uint8_t *lengths, const uint32_t *kinds, int n,
                        int may_be_short)
{
    uint16_t count[MAX_CODE + 1] = {0}, sorted[MAX_SYMBOLS];
    for (int i = 0; i < n; i++)
        count[lengths[i]]++;
    sort(lengths, n, count, sorted);
    const int32_t left = codes_left(count);
    if (left < 0 || (left > 0 && !may_be_short))
        return 0;
    if (left > 0)
        return build_short(table, bits, count, count[1] > 0 ? kinds[sorted[0]] : 0);

    const uint16_t *symbol = sorted;
    unsigned code = 0, size = 1; /* current size of the main table: it doubles for each length */
    for (int length = 1; length <= bits; length++) {
        memcpy(table + size, table, size * (length > 1) * sizeof *table);
        size *= 2;
        for (int i = 0; i < count[length]; i++, code = next_code(code, length))
            table[code] = entry_of(kinds[*symbol++], length);
    }
    unsigned prefix = ~0u, begin = 0, sub = 0, end = size;
    for (int length = bits + 1; length <= MAX_CODE; length++)
        for (int i = 0; i < count[length]; i++, code = next_code(code, length)) {
            if ((code & (size - 1)) != prefix) {
                prefix = code & (size - 1);
                begin = end;
                sub = subtable_bits(count, bits, length, i);
                end += 1u << sub;
                table[prefix] = ENTRY_ODD | ENTRY_SUBTABLE | begin << 16 | sub << 8;
            }
            const uint32_t entry = entry_of(kinds[*symbol++], length - bits);
            for (unsigned at = code >> bits; at < 1u << sub; at += 1u << (length - bits))
                table[begin + at] = entry;
        }
    return 1;
}
