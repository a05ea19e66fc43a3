/* Rice codes: RFC 9639, section 9.2.7. */
#include "reason.h"
#include "residual.h"

/* A number whose lowest bit is its sign. */
INLINE int32_t signed_of(uint32_t x)
{
    return (int32_t)(x >> 1 ^ -(x & 1));
}

/* One code, wherever its bits are. */
static int code(flac_bits *r, int k, int32_t *out)
{
    uint64_t high = 0;
    while (r->bits == 0 || __builtin_clzll(r->bits) >= r->left) {
        high += r->left;
        r->bits = 0;
        r->left = 0;
        if (!holds(r, 1))
            return SPOOL_FLAC_END;
    }
    const int zeros = __builtin_clzll(r->bits);
    drop(r, zeros);
    drop(r, 1);
    high += zeros;
    if (high > UINT32_MAX >> k)
        return SPOOL_FLAC_RESIDUAL;
    if (!holds(r, k))
        return SPOOL_FLAC_END;
    const uint32_t x = (uint32_t)high << k | (uint32_t)take(r, k);
    if (x == UINT32_MAX)
        return SPOOL_FLAC_RESIDUAL; /* the one number that has no counterpart */
    *out = signed_of(x);
    return SPOOL_FLAC_DONE;
}

/* n codes of which `together` are usually found in 56 bits: then there is one look at the data for all of them. */
INLINE int codes(flac_bits *reader, int k, int32_t *out, int32_t n, const int together)
{
    flac_bits r = *reader;
    int status = SPOOL_FLAC_DONE;
    while (n >= together && r.end - r.at >= 8) {
        refill(&r);
        uint64_t bits = r.bits;
        int32_t left = r.left - together * (k + 1);
        for (int i = 0; i < together; i++) {
            const int zeros = __builtin_clzll(bits | 1);
            bits <<= zeros; /* a one, and k bits behind it */
            out[i] = signed_of(((uint32_t)(zeros - 1) << k) + (uint32_t)(bits >> (63 - k)));
            bits = bits << k << 1;
            left -= zeros;
        }
        if (LIKELY(left >= 0)) {
            r.bits = bits;
            r.left = left;
            out += together;
            n -= together;
        } else {
            for (int i = 0; i < together && status == SPOOL_FLAC_DONE; i++)
                status = code(&r, k, out++);
            if (status != SPOOL_FLAC_DONE)
                return status;
            n -= together;
        }
    }
    for (; n > 0 && status == SPOOL_FLAC_DONE; n--)
        status = code(&r, k, out++);
    *reader = r;
    return status;
}

/* n codes with k bits each below the part that is counted. */
static int partition(flac_bits *r, int k, int32_t *out, int32_t n)
{
    if (k <= 10)
        return codes(r, k, out, n, 4);
    if (k <= 14)
        return codes(r, k, out, n, 3);
    if (k <= 23)
        return codes(r, k, out, n, 2);
    for (int32_t i = 0; i < n; i++) { /* here what is counted may be too much for 32 bits */
        const int status = code(r, k, out + i);
        if (status != SPOOL_FLAC_DONE)
            return status;
    }
    return SPOOL_FLAC_DONE;
}

/* n numbers of so many bits. */
static int numbers(flac_bits *r, int bits, int32_t *out, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        if (!holds(r, bits))
            return SPOOL_FLAC_END;
        out[i] = bits == 0 ? 0 : (int32_t)take_signed(r, bits);
    }
    return SPOOL_FLAC_DONE;
}

int spool_flac_residual(flac_bits *r, int32_t *out, int32_t n, int32_t order)
{
    if (!holds(r, 6))
        return SPOOL_FLAC_END;
    const int method = take(r, 2), partitions = take(r, 4);
    const int32_t size = n >> partitions;
    if (method > 1 || size << partitions != n || size < order)
        return SPOOL_FLAC_RESIDUAL;
    const int width = 4 + method, escape = (1 << width) - 1;
    int32_t at = order;
    for (int i = 1; i <= 1 << partitions; i++) {
        const int32_t count = size * i - at;
        if (!holds(r, width))
            return SPOOL_FLAC_END;
        const int k = take(r, width);
        int status;
        if (k < escape) {
            status = partition(r, k, out + at, count);
        } else if (!holds(r, 5)) {
            status = SPOOL_FLAC_END;
        } else {
            status = numbers(r, take(r, 5), out + at, count);
        }
        if (status != SPOOL_FLAC_DONE)
            return status;
        at += count;
    }
    return SPOOL_FLAC_DONE;
}
