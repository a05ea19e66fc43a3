/*
 * From coefficients to samples: the "slow integer" inverse DCT of libjpeg, byte for byte.
 *
 * It has two passes, down the columns and then along the rows, with constants of 13 bits, and 2 bits of additional
 * precision between the passes. libjpeg factors a pass to save multiplications (C. Loeffler, A. Ligtenberg and G.
 * Moschytz, "Practical fast 1-D DCT algorithms with 11 multiplications", ICASSP 1989). All of it is exact except for
 * one rounding at the end of a pass. So each sum is written out here, which costs less in vector units. Its factors
 * (IDCT_ODD) are sums of libjpeg's constants.
 *
 * The reference is libjpeg-turbo's SIMD code, which keeps the results of the first pass, and some sums within the
 * passes, in 16 bits. Both engines give the same if the results of the first pass have 14 bits and a sign (IDCT_RANGE):
 * then none of these values can be clamped or overflow. Images are far below this limit. A block beyond it is reported,
 * and the engine declines the image.
 */
#ifndef SPOOL_BASELINE_IDCT_H
#define SPOOL_BASELINE_IDCT_H

#include <stddef.h>
#include <stdint.h>

enum { IDCT_BITS = 13, IDCT_EXTRA = 2, IDCT_RANGE = (1 << 14) - 1 };

/* Shifts at the end of the passes. */
enum { IDCT_FIRST = IDCT_BITS - IDCT_EXTRA, IDCT_SECOND = IDCT_BITS + IDCT_EXTRA + 3 };

/*
 * The weights of coefficients in samples 0 to 3, times 2^13. Those of samples 7 to 4 are the same with negated odd
 * coefficients. Coefficients 0 and 4 have the weight 1 or -1. Coefficients 2 and 6 have these constants. Odd
 * coefficients have a row for each sample.
 */
enum { IDCT_2_IN_0 = 10703, IDCT_6_IN_0 = 4433, IDCT_2_IN_1 = 4433, IDCT_6_IN_1 = -10704 };
static const int16_t IDCT_ODD[4][4] = {
    /* coefficients 1, 3, 5 and 7 */
    {11363, 9633, 6437, 2260},
    {9633, -2259, -11362, -6436},
    {6437, -11362, 2261, 9633},
    {2260, -6436, 9633, -11363},
};

/*
 * Transforms n blocks of 64 coefficients in natural order, one after the other, aligned to 16. The result is n blocks
 * of samples next to each other: 8 rows of 8 * n bytes, stride apart. quant is aligned to 16 as well. Returns 0, or
 * another value if a block is out of range: then its samples are unspecified.
 */
typedef int spool_baseline_idct(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride);

spool_baseline_idct spool_baseline_idct_scalar, spool_baseline_idct_sse41, spool_baseline_idct_avx2,
    spool_baseline_idct_avx512vl, spool_baseline_idct_avx512, spool_baseline_idct_neon;

/* The function of a level, 0 (scalar) up to spool_baseline_levels() - 1. */
spool_baseline_idct *spool_baseline_idct_at(int level);

#endif
