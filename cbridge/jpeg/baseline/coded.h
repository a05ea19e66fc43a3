/*
 * The coded data of an interval (between restart markers, or all of the scan), without the zero bytes that are
 * stuffed behind 0xFF, a window at a time, and a reader of their bits.
 *
 * Nothing is checked while an MCU is read. Instead, where it begins, the window holds all that the longest MCU
 * could take, or the interval's end and as many zeros behind it.
 */
#ifndef SPOOL_BASELINE_CODED_H
#define SPOOL_BASELINE_CODED_H

#include <string.h>

#include "markers.h"
#include "tables.h"

#define INLINE static inline __attribute__((always_inline))
#define COLD __attribute__((noinline, cold))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Fuzzers make small files, and these are to be read in pieces as well: they build with the smallest window. */
#ifndef SPOOL_BASELINE_WINDOW
#define SPOOL_BASELINE_WINDOW (16 << 10)
#endif

enum {
    /*
     * The longest MCU: each coefficient of each block takes one code and its value's bits at most. A zero run
     * is one code for 16 coefficients, and the end of a block takes the place of one coefficient at least.
     */
    MCU_BYTES = MCU_BLOCKS * BLOCK * (MAX_CODE + MAX_VALUE) / 8,
    /* How far beyond the bits used bytes are read: 8 that are in the reader already, 8 more, and an entry's bits. */
    AHEAD = 8 + 8 + (MAX_SKIP + 7) / 8,
    BEHIND = 8, /* bytes before `next` that a step back reads again */
    WINDOW = SPOOL_BASELINE_WINDOW,
    WINDOW_BYTES = BEHIND + WINDOW + MCU_BYTES + AHEAD + 8,
};

_Static_assert(MCU_BLOCKS *BLOCK *(MAX_CODE + MAX_VALUE) % 8 == 0, "no bit of the longest MCU is rounded away");
_Static_assert(WINDOW > MCU_BYTES + AHEAD, "an MCU may begin in a full window");

/* The next bits, the first one highest: `count` of them, 0 to 63, and what lies below is the same as at next. */
typedef struct {
    uint64_t bits, count;
    const uint8_t *next; /* to be loaded */
} bit_reader;

typedef struct {
    const uint8_t *from, *end; /* the file's bytes from the first that is not in the window */
    uint8_t *window;           /* WINDOW_BYTES */
    uint8_t *filled;           /* the end of what it holds */
    const uint8_t *safe;       /* an MCU may begin while reader.next is not beyond */
    int complete;              /* the window holds the interval's last byte: `from` is at a marker or the end */
    bit_reader reader;
} coded_data;

/* Begins with the interval at `from`. */
void spool_baseline_begin(coded_data *coded);

/* Makes reader.next safe: to be called when it is not. Fails when the interval has no more bytes. */
int spool_baseline_refill(coded_data *coded);

/*
 * Ends the interval after its last MCU. The marker behind it is at `from`: SPOOL_BASELINE_DONE says that all
 * bits but those that fill the last byte up were taken.
 */
int spool_baseline_finish(coded_data *coded);

/* Ends the interval, passes the restart marker behind it, which has to be number n of the scan, and begins with the
 * next. */
int spool_baseline_restart(coded_data *coded, int n);

/* The bits of the window that are not taken; below 0 where zeros behind the interval's end were. */
static inline ptrdiff_t bits_left(const coded_data *coded)
{
    return 8 * (coded->filled - coded->reader.next) + (ptrdiff_t)coded->reader.count;
}

/*
 * The reader again, field by field. What is called on the way is given such a copy: a reader whose address is known
 * elsewhere, or that is assigned as a whole, gcc 12 keeps in memory instead of registers, and decoding takes a tenth
 * longer.
 */
INLINE bit_reader same(const bit_reader *r)
{
    return (bit_reader){.bits = r->bits, .count = r->count, .next = r->next};
}

INLINE void assign(bit_reader *to, const bit_reader *from)
{
    to->bits = from->bits;
    to->count = from->count;
    to->next = from->next;
}

/* Makes the window hold what an MCU, or a block of one, can take from the reader on. */
INLINE int make_ready(coded_data *coded, bit_reader *reader)
{
    if (LIKELY(reader->next <= coded->safe))
        return SPOOL_BASELINE_DONE;
    assign(&coded->reader, reader);
    const int reason = spool_baseline_refill(coded);
    assign(reader, &coded->reader);
    return reason;
}

/* Puts the reader back behind a run of blocks. */
INLINE int finish_run(coded_data *coded, const bit_reader *reader)
{
    assign(&coded->reader, reader);
    return bits_left(coded) < 0 ? SPOOL_BASELINE_OVERRUN : SPOOL_BASELINE_DONE;
}

/* 56 bits or more. */
INLINE void fill_bits(bit_reader *r)
{
    uint64_t bytes;
    memcpy(&bytes, r->next, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    r->bits |= bytes >> r->count;
    r->next += (63 - r->count) >> 3;
    r->count |= 56;
}

INLINE void take_bits(bit_reader *r, unsigned n)
{
    r->bits <<= n;
    r->count -= n;
}

/* The value of the next `size` bits, 0 to 15, without a branch; `extended` says the same. */
INLINE int take_value(bit_reader *r, unsigned size)
{
    const int value = (int)(r->bits >> 1 >> (63 - size));
    const int negative = (int)(~r->bits >> 63);
    take_bits(r, size);
    return value + (-negative & (1 - (1 << size)));
}

/* The reader as it was n bits ago, filled. Valid where n + count is 64 at most. */
static inline bit_reader stepped_back(bit_reader r, unsigned n)
{
    const unsigned bits = r.count + n, bytes = (bits + 7) / 8;
    r = (bit_reader){.next = r.next - bytes};
    fill_bits(&r);
    take_bits(&r, 8 * bytes - bits);
    fill_bits(&r);
    return r;
}

#endif
