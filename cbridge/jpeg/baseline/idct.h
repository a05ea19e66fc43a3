/*
 * From coefficients to samples: the "slow integer" inverse DCT of libjpeg, byte for byte.
 *
 * The algorithm is that of C. Loeffler, A. Ligtenberg and G. Moschytz, "Practical fast 1-D DCT algorithms with 11
 * multiplications", ICASSP 1989, with constants of 13 bits, first down the columns, then along the rows, 2 bits more
 * precise in between. libjpeg-turbo's SIMD code, which is the reference, multiplies by the quantisation table in 16
 * bits, adds some pairs of coefficients in 16 bits, and keeps what the first pass makes in 16 bits. The two engines
 * are the same where the last of these has 14 bits and a sign (IDCT_RANGE), so that nothing after it can be cut
 * off or wrap around: pictures stay far below; where a block does not, it is told, and the picture is left
 * to the other engine. The steps before it wrap around in both alike.
 */
#ifndef SPOOL_BASELINE_IDCT_H
#define SPOOL_BASELINE_IDCT_H

#include <stddef.h>
#include <stdint.h>

enum { IDCT_BITS = 13, IDCT_EXTRA = 2, IDCT_RANGE = (1 << 14) - 1 };

/* The constants, times 2^13, rounded. */
enum {
    C_0_298 = 2446,
    C_0_390 = 3196,
    C_0_541 = 4433,
    C_0_765 = 6270,
    C_0_899 = 7373,
    C_1_175 = 9633,
    C_1_501 = 12299,
    C_1_847 = 15137,
    C_1_961 = 16069,
    C_2_053 = 16819,
    C_2_562 = 20995,
    C_3_072 = 25172,
};

/*
 * Transforms n blocks, of 64 coefficients in natural order, one behind the other at an address that is a
 * multiple of 16, into as many samples next to each other: 8 rows of 8 * n bytes, stride apart. quant is a multiple
 * of 16 as well. Returns 0, or not when a block is out of range: then its samples are anything.
 */
typedef int spool_baseline_idct(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride);

spool_baseline_idct spool_baseline_idct_scalar, spool_baseline_idct_avx2;

/* The one of a level, 0 (scalar) up to spool_baseline_levels() - 1. */
spool_baseline_idct *spool_baseline_idct_at(int level);

#endif
