/*
 * The coded data of an interval (between restart markers, or the whole scan), unstuffed: without the zero bytes after
 * 0xFF. They are held in a window, with a reader of their bits.
 *
 * Nothing is checked within an MCU. Instead, at the beginning of each MCU the window holds all bytes of the longest
 * possible MCU, or the end of the interval and as many zeros after it.
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

/* Fuzzers make small files, which must take several windows as well, so they are built with the smallest window. */
#ifndef SPOOL_BASELINE_WINDOW
#define SPOOL_BASELINE_WINDOW (16 << 10)
#endif

enum {
    /*
     * The longest MCU: each coefficient of each block takes at most one code and the bits of its value. A run of zeros
     * is one code for 16 coefficients, and the end of a block replaces at least one coefficient.
     */
    MCU_BYTES = MCU_BLOCKS * BLOCK * (MAX_CODE + MAX_VALUE) / 8,
    /* Bytes that are read beyond the used bits: 8 that are in the reader, 8 more, and the bits of an entry. */
    AHEAD = 8 + 8 + (MAX_SKIP + 7) / 8,
    BEHIND = 8, /* bytes before `next` that stepped_back reads again */
    WINDOW = SPOOL_BASELINE_WINDOW,
    WINDOW_BYTES = BEHIND + WINDOW + MCU_BYTES + AHEAD + 8,
};

_Static_assert(MCU_BLOCKS *BLOCK *(MAX_CODE + MAX_VALUE) % 8 == 0, "no bit of the longest MCU is rounded away");
_Static_assert(WINDOW > MCU_BYTES + AHEAD, "an MCU may begin in a full window");

/*
 * The next bits, the first one in the highest place: `count` of them, 0 to 63. The bits below are equal to those at
 * next.
 */
typedef struct {
    uint64_t bits, count;
    const uint8_t *next; /* the next byte to load */
} bit_reader;

typedef struct {
    const uint8_t *from, *end; /* bytes of the file that are not in the window yet */
    uint8_t *window;           /* WINDOW_BYTES */
    uint8_t *filled;           /* the end of its content */
    const uint8_t *safe;       /* an MCU may begin if reader.next is at most this */
    int complete;              /* the window holds the interval's last byte: `from` is at a marker or the end */
    bit_reader reader;
} coded_data;

/* Begins the interval at `from`. */
void spool_baseline_begin(coded_data *coded);

/* Makes reader.next safe. To be called when it is not. Fails if the interval has no more bytes. */
int spool_baseline_refill(coded_data *coded);

/*
 * Ends the interval after its last MCU, so that the next marker is at `from`. SPOOL_BASELINE_DONE means that all bits
 * were used, except those that pad the last byte.
 */
int spool_baseline_finish(coded_data *coded);

/*
 * Ends the interval, skips the restart marker after it, which must be number n of the scan, and begins the next
 * interval.
 */
int spool_baseline_restart(coded_data *coded, int n);

/* The unused bits of the window; negative if zeros after the interval's end were used. */
static inline ptrdiff_t bits_left(const coded_data *coded)
{
    return 8 * (coded->filled - coded->reader.next) + (ptrdiff_t)coded->reader.count;
}

/*
 * Copies the reader field by field, for functions that are not inlined. If a reader's address escapes, or if it is
 * assigned as a whole, gcc 12 keeps it in memory instead of registers. Decoding is then a tenth slower.
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

/* Fills the window with all bytes that an MCU, or a block of one, may take from the reader. */
INLINE int make_ready(coded_data *coded, bit_reader *reader)
{
    if (LIKELY(reader->next <= coded->safe))
        return SPOOL_BASELINE_DONE;
    assign(&coded->reader, reader);
    const int reason = spool_baseline_refill(coded);
    assign(reader, &coded->reader);
    return reason;
}

/* Stores the reader after a run of blocks. */
INLINE int finish_run(coded_data *coded, const bit_reader *reader)
{
    assign(&coded->reader, reader);
    return bits_left(coded) < 0 ? SPOOL_BASELINE_OVERRUN : SPOOL_BASELINE_DONE;
}

/* Fills the reader to at least 56 bits. */
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

/* Takes the value of the next `size` bits, 0 to 15, without a branch. It equals `extended`. */
INLINE int take_value(bit_reader *r, unsigned size)
{
    const int value = (int)(r->bits >> 1 >> (63 - size));
    const int negative = (int)(~r->bits >> 63);
    take_bits(r, size);
    return value + (-negative & (1 - (1 << size)));
}

/* Returns the reader as it was n bits ago, filled. Valid if n + count is at most 64. */
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
