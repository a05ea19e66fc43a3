/*
 * Decodes the symbols of one block. Each instruction set's file defines INFLATE_CODES, the function's name, and
 * includes this source.
 *
 * An entry of a table:
 *   bits 0..7    input bits of the symbol, including extra bits
 *   bits 8..11   bits of its code only; in a subtable, without those of the main table
 *   bit 13       a subtable: bits 8..11 are its size in bits, bits 16.. its index
 *   bit 14       the end of the block
 *   bit 15       one of these two, or an invalid symbol
 *   bits 16..30  a literal, or the base of a length or a distance
 *   bit 31       a literal
 */
#include <string.h>

#include "inflate.h"
#include "inflate_table.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

enum {
    WORD = 8,
    FAST_IN = 32,        /* bytes of input that a fast iteration may read */
    FAST_OUT = 258 + 64, /* bytes of output that it may write */
};

static inline uint64_t load(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, WORD);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline void copy_word(uint8_t *to, const uint8_t *from)
{
    uint64_t word;
    memcpy(&word, from, WORD);
    memcpy(to, &word, WORD);
}

/* Copies a match if FAST_OUT bytes may be written. */
static inline void copy_fast(uint8_t *out, size_t distance, size_t length)
{
    const uint8_t *from = out - distance;
    uint8_t *const end = out + length;
    if (LIKELY(distance >= WORD)) {
        copy_word(out, from);
        copy_word(out + WORD, from + WORD);
        copy_word(out + 2 * WORD, from + 2 * WORD);
        for (out += 3 * WORD, from += 3 * WORD; out < end; out += WORD, from += WORD)
            copy_word(out, from);
        return;
    }
    if (distance == 1) {
        uint8_t run[WORD];
        memset(run, *from, WORD);
        do {
            copy_word(out, run);
            copy_word(out + WORD, run);
            out += 2 * WORD;
        } while (out < end);
        return;
    }
    do { /* each word repeats the previous word's output */
        copy_word(out, from);
        out += distance;
        from += distance;
    } while (out < end);
}

/* Fills up to at least 56 bits. Reads eight bytes. */
#define REFILL()                         \
    do {                                 \
        bits |= load(in) << (left & 63); \
        in += (~left & 63) >> 3;         \
        left |= 56;                      \
    } while (0)

/* The same byte by byte, with zeros beyond the end. */
#define REFILL_SLOWLY()                      \
    for (; left < 56; left += 8) {           \
        if (in < in_end)                     \
            bits |= (uint64_t)*in++ << left; \
        else                                 \
            missing++;                       \
    }

/* Only the lowest six bits of `left` are valid: the bits above receive other bits of the entry. */
#define TAKE(entry)          \
    do {                     \
        bits >>= (entry)&63; \
        left -= (entry);     \
    } while (0)

#define TAKE_SLOWLY(entry)   \
    do {                     \
        bits >>= (entry)&63; \
        left -= (entry)&63;  \
    } while (0)

/* The base of an entry plus its extra bits. `before` are the bits before the entry was taken. */
#define VALUE(entry, before) \
    (((entry) >> 16) + (((before) & (((uint64_t)1 << (uint8_t)(entry)) - 1)) >> ((entry) >> 8 & 63)))

#define SYMBOL_MASK ((1u << SPOOL_INFLATE_SYMBOL_BITS) - 1)
#define DISTANCE_MASK ((1u << SPOOL_INFLATE_DISTANCE_BITS) - 1)

/* The entry of a subtable, after the bits of the main table have been taken. */
#define SUBENTRY(table, entry) ((table)[((entry) >> 16) + (bits & ((1u << ((entry) >> 8 & 15)) - 1))])

int INFLATE_CODES(spool_inflater *s, uint8_t *stop)
{
    const uint8_t *in = s->in;
    const uint8_t *const in_end = s->in_end;
    const uint8_t *const in_fast = in_end - in >= FAST_IN ? in_end - FAST_IN : NULL;
    uint8_t *out = s->out;
    uint8_t *const out_end = s->end;
    const uint8_t *const out_fast = out_end - out >= FAST_OUT ? out_end - FAST_OUT : NULL;
    const uint8_t *const out_stop = out_fast != NULL && stop > out_fast ? out_fast : stop;
    const uint32_t *const symbols = s->symbols, *const distances = s->distances;
    uint64_t bits = s->bits, left = s->left, before;
    unsigned missing = s->missing;
    uint32_t entry;
    size_t length, distance;
    int status = SPOOL_INFLATE_ERROR;

    if (in_fast != NULL && out_fast != NULL && in <= in_fast && out < out_stop) {
        REFILL();
        entry = symbols[bits & SYMBOL_MASK];
        do { /* begins with at least 56 bits and the entry for them; an iteration takes up to 48 */
            if (entry & ENTRY_LITERAL) { /* three codes of a main table take at most 33 bits */
                TAKE(entry);
                *out++ = entry >> 16;
                entry = symbols[bits & SYMBOL_MASK];
                if (entry & ENTRY_LITERAL) {
                    TAKE(entry);
                    *out++ = entry >> 16;
                    entry = symbols[bits & SYMBOL_MASK];
                    if (entry & ENTRY_LITERAL) {
                        TAKE(entry);
                        *out++ = entry >> 16;
                        entry = symbols[bits & SYMBOL_MASK];
                        REFILL();
                        continue;
                    }
                }
            }
            if (UNLIKELY(entry & ENTRY_ODD)) {
                if (entry & ENTRY_SUBTABLE) {
                    TAKE(SPOOL_INFLATE_SYMBOL_BITS);
                    entry = SUBENTRY(symbols, entry);
                    if (entry & ENTRY_LITERAL) {
                        TAKE(entry);
                        *out++ = entry >> 16;
                        REFILL();
                        entry = symbols[bits & SYMBOL_MASK];
                        continue;
                    }
                }
                if (entry & ENTRY_END) {
                    TAKE(entry);
                    status = BLOCK_ENDS;
                    goto leave;
                }
                if (entry & ENTRY_ODD)
                    goto leave;
            }
            before = bits;
            TAKE(entry);
            length = VALUE(entry, before);
            if (UNLIKELY((left & 63) < 28))
                REFILL();
            entry = distances[bits & DISTANCE_MASK];
            if (UNLIKELY(entry & ENTRY_ODD)) {
                if (!(entry & ENTRY_SUBTABLE))
                    goto leave;
                TAKE(SPOOL_INFLATE_DISTANCE_BITS);
                entry = SUBENTRY(distances, entry);
                if (entry & ENTRY_ODD)
                    goto leave;
            }
            before = bits;
            TAKE(entry);
            distance = VALUE(entry, before);
            if (UNLIKELY(distance > (size_t)(out - s->start)))
                goto leave;
            REFILL();
            entry = symbols[bits & SYMBOL_MASK];
            copy_fast(out, distance, length);
            out += length;
        } while (in <= in_fast && out < out_stop);
    }
    left &= 63;
    /* Near the end of the input or the output. */
    while (out < stop || out == out_end) { /* at the end of the output, the end of the block must follow */
        REFILL_SLOWLY();
        entry = symbols[bits & SYMBOL_MASK];
        if (entry & ENTRY_SUBTABLE) {
            TAKE_SLOWLY(SPOOL_INFLATE_SYMBOL_BITS);
            entry = SUBENTRY(symbols, entry);
        }
        before = bits;
        TAKE_SLOWLY(entry);
        if (missing * 8 > left)
            goto leave;
        if (entry & ENTRY_LITERAL) {
            if (out == out_end)
                goto leave;
            *out++ = entry >> 16;
            continue;
        }
        if (entry & ENTRY_ODD) {
            if (entry & ENTRY_END)
                status = BLOCK_ENDS;
            goto leave;
        }
        length = VALUE(entry, before);
        REFILL_SLOWLY();
        entry = distances[bits & DISTANCE_MASK];
        if (entry & ENTRY_SUBTABLE) {
            TAKE_SLOWLY(SPOOL_INFLATE_DISTANCE_BITS);
            entry = SUBENTRY(distances, entry);
        }
        before = bits;
        TAKE_SLOWLY(entry);
        distance = VALUE(entry, before);
        if (entry & ENTRY_ODD || missing * 8 > left || distance > (size_t)(out - s->start) ||
            length > (size_t)(out_end - out))
            goto leave;
        for (; length > 0; length--, out++)
            *out = *(out - distance);
    }
    status = SPOOL_INFLATE_MORE;
leave:
    s->in = in;
    s->out = out;
    s->bits = bits;
    s->left = left & 63;
    s->missing = missing;
    return status;
}
