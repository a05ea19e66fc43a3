/*
 * Rice codes and predictions in one loop. Each is a chain of dependent steps, but the two are independent, so a
 * processor runs both in parallel.
 */
#include "reason.h"
#include "rice.h"

/* Converts a number whose lowest bit is the sign. */
INLINE int32_t signed_of(uint32_t x)
{
    return (int32_t)(x >> 1 ^ -(x & 1));
}

int spool_flac_code(flac_bits *r, int k, int32_t *out)
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
        return SPOOL_FLAC_RESIDUAL; /* the only number whose negation is not in the range */
    *out = signed_of(x);
    return SPOOL_FLAC_DONE;
}

/*
 * Reads codes, `together` at a time, which usually fit in 56 bits. Then the data are loaded once for all, and one test
 * checks that they had enough bits.
 */
INLINE int codes(flac_bits *reader, const int k, const flac_predictor *p, int32_t *x, int32_t n, const int order,
                 const int together)
{
    flac_bits r = *reader; /* keeps the fields in registers */
    const int shift = p->shift;
    int64_t c[RICE_ORDER + 1];
    memcpy(c, p->c, order * sizeof *c);
    int32_t last = order > 0 ? x[-1] : 0;
    for (int32_t *const end = x + n; x < end;) {
        int32_t e[4];
        int known = 0;
        if (LIKELY(end - x >= together && r.end - r.at >= 8)) {
            refill(&r);
            uint64_t bits = r.bits;
            int32_t left = r.left - together * (k + 1);
            for (int i = 0; i < together; i++) {
                const int zeros = __builtin_clzll(bits | 1);
                bits <<= zeros; /* starts with a one, then k bits */
                e[i] = signed_of(((uint32_t)(zeros - 1) << k) + (uint32_t)(bits >> (63 - k)));
                bits <<= k + 1;
                left -= zeros;
            }
            if (LIKELY(left >= 0)) {
                r.bits = bits;
                r.left = left;
                known = together;
            }
        }
        if (known == together) {
            for (int i = 0; i < together; i++, x++)
                *x = last = spool_flac_sample(x, last, e[i], order, c, shift);
            continue;
        }
        flac_bits copy = r;
        const int status = spool_flac_code(&copy, k, e);
        if (status != SPOOL_FLAC_DONE)
            return status;
        r = copy;
        *x = last = spool_flac_sample(x, last, e[0], order, c, shift);
        x++;
    }
    *reader = r;
    return SPOOL_FLAC_DONE;
}

#define OF(order)                                                                                 \
    static int codes_##order(flac_bits *r, int k, const flac_predictor *p, int32_t *x, int32_t n) \
    {                                                                                             \
        if (k <= 10)                                                                              \
            return codes(r, k, p, x, n, order, 4);                                                \
        if (k <= 14)                                                                              \
            return codes(r, k, p, x, n, order, 3);                                                \
        return codes(r, k, p, x, n, order, 2);                                                    \
    }
OF(0)
OF(1)
OF(2)
OF(3)
OF(4)
OF(5)
OF(6)
OF(7)
OF(8)
OF(9)
OF(10)
OF(11)
OF(12)

spool_flac_codes *const spool_flac_codes_of[] = {codes_0, codes_1, codes_2, codes_3,  codes_4,  codes_5, codes_6,
                                                 codes_7, codes_8, codes_9, codes_10, codes_11, codes_12};
