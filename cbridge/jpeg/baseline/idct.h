/*
 * From coefficients to samples: the "slow integer" inverse DCT of libjpeg, byte for byte.
 *
 * Two passes, down the columns and then along the rows, with constants of 13 bits and 2 bits more precision in
 * between. libjpeg factors a pass to save multiplications (C. Loeffler, A. Ligtenberg and G. Moschytz, "Practical
 * fast 1-D DCT algorithms with 11 multiplications", ICASSP 1989). All of it is exact but for one rounding at the
 * end of a pass, so that here each sum is written out, which takes less of vector units; its factors (IDCT_ODD) are
 * sums of libjpeg's constants.
 *
 * libjpeg-turbo's SIMD code, which is the reference, keeps in 16 bits what the first pass makes, and some sums
 * within the passes. The two engines are the same where what the first pass makes has 14 bits and a sign
 * (IDCT_RANGE): then none of all these can be cut off or wrap around. Pictures stay far below; where a block does
 * not, it is told, and the picture is left to the other engine.
 */
#ifndef SPOOL_BASELINE_IDCT_H
#define SPOOL_BASELINE_IDCT_H

#include <stddef.h>
#include <stdint.h>

enum { IDCT_BITS = 13, IDCT_EXTRA = 2, IDCT_RANGE = (1 << 14) - 1 };

/* Shifts at the end of the passes. */
enum { IDCT_FIRST = IDCT_BITS - IDCT_EXTRA, IDCT_SECOND = IDCT_BITS + IDCT_EXTRA + 3 };

/*
 * Times 2^13, what coefficients count in samples 0 to 3; those of 7 to 4 are the same with odd coefficients
 * negated. Coefficients 0 and 4 count 1, with one sign or the other; 2 and 6 these; the odd ones a row for each
 * sample.
 */
enum { IDCT_2_IN_0 = 10703, IDCT_6_IN_0 = 4433, IDCT_2_IN_1 = 4433, IDCT_6_IN_1 = -10704 };
static const int16_t IDCT_ODD[4][4] = {
    /* 1, 3, 5 and 7 */
    {11363, 9633, 6437, 2260},
    {9633, -2259, -11362, -6436},
    {6437, -11362, 2261, 9633},
    {2260, -6436, 9633, -11363},
};

/*
 * Transforms n blocks, of 64 coefficients in natural order, one behind the other at an address that is a multiple
 * of 16, into as many samples next to each other: 8 rows of 8 * n bytes, stride apart. quant is a multiple of 16 as
 * well. Returns 0, or not when a block is out of range: then its samples are anything.
 */
typedef int spool_baseline_idct(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride);

spool_baseline_idct spool_baseline_idct_scalar, spool_baseline_idct_sse41, spool_baseline_idct_avx2,
    spool_baseline_idct_avx512, spool_baseline_idct_neon;

/* The one of a level, 0 (scalar) up to spool_baseline_levels() - 1. */
spool_baseline_idct *spool_baseline_idct_at(int level);

#endif
