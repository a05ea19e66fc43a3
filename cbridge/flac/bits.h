/* A reader of a frame's bits, from the highest bit of each byte. */
#ifndef SPOOL_FLAC_BITS_H
#define SPOOL_FLAC_BITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define LIKELY(x) __builtin_expect(!!(x), 1)

/* The next `left` bits are the high bits of `bits`. The bits below are zero, or the bits that follow. */
typedef struct {
    uint64_t bits;
    int32_t left; /* at most 64 */
    const uint8_t *at, *end;
} flac_bits;

INLINE uint64_t load_bits(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

/* Refills to at least 56 bits and at most 63. The data must have at least 8 more bytes. */
INLINE void refill(flac_bits *r)
{
    r->bits |= load_bits(r->at) >> r->left;
    r->at += (63 - r->left) >> 3;
    r->left |= 56;
}

/* Reports whether the next n bits are available, and loads them. n is at most 56. */
INLINE int holds(flac_bits *r, int n)
{
    if (LIKELY(r->left >= n))
        return 1;
    if (LIKELY(r->end - r->at >= 8)) {
        refill(r);
        return 1;
    }
    for (; r->left <= 56 && r->at < r->end; r->left += 8)
        r->bits |= (uint64_t)*r->at++ << (56 - r->left);
    return r->left >= n;
}

/* Skips n available bits. n is at most 63. */
INLINE void drop(flac_bits *r, int n)
{
    r->bits <<= n;
    r->left -= n;
}

/* Reads n available bits. n is at most 63. */
INLINE uint64_t take(flac_bits *r, int n)
{
    const uint64_t x = r->bits >> 1 >> (63 - n);
    drop(r, n);
    return x;
}

/* Reads n available bits as a signed number. */
INLINE int64_t take_signed(flac_bits *r, int n)
{
    const int64_t x = (int64_t)r->bits >> 1 >> (63 - n);
    drop(r, n);
    return x;
}

#endif
