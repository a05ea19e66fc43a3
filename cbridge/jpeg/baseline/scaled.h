/*
 * From coefficients to samples of a smaller image. Each sample is the mean of 2 x 2, 4 x 4 or 8 x 8 samples of the
 * inverse DCT, computed directly from the coefficients. Means of neighbors are linear in the coefficients, like the
 * samples. So a pass is a product with a matrix: that of the DCT, with adjacent rows averaged. libjpeg's reduced
 * transforms (jidctred.c) are the same means, factored.
 *
 * Sums have 32 bits, and results of the first pass 16 bits with saturation. A block beyond this range is inexact, but
 * does no harm.
 */
#ifndef SPOOL_BASELINE_SCALED_H
#define SPOOL_BASELINE_SCALED_H

#include "idct.h"

/* Shifts at the end of the passes. */
enum { SCALED_FIRST = IDCT_BITS - IDCT_EXTRA, SCALED_SECOND = IDCT_BITS + IDCT_EXTRA + 3 };

/*
 * The weights of coefficients in the means of two samples, of which a side has four, times 2^13. Coefficient 0 has the
 * weight 1, and coefficient 4 the weight 0. Coefficients 2 and 6 have these constants in means 0 and 3, negated in 1
 * and 2. Odd coefficients have a row for means 0 and 1, negated in 3 and 2.
 */
enum { MEAN4_2 = 7568, MEAN4_6 = -3135 };
static const int16_t MEAN4_ODD[2][4] = {
    /* coefficients 1, 3, 5 and 7 */
    {10498, 3686, -2463, -2088},
    {4348, -8900, 5946, -865},
};

/* The same for the first of two means of four samples. Even coefficients except 0 have the weight 0. */
static const int16_t MEAN2_ODD[4] = {7423, -2607, 1742, -1477};

/* Like the transforms of idct.h, but to n * side samples in `side` rows. They always return 0. */
spool_baseline_idct spool_baseline_scaled4_scalar, spool_baseline_scaled4_sse41, spool_baseline_scaled4_avx2,
    spool_baseline_scaled4_neon;
spool_baseline_idct spool_baseline_scaled2_scalar, spool_baseline_scaled2_sse41, spool_baseline_scaled2_avx2,
    spool_baseline_scaled2_neon;
spool_baseline_idct spool_baseline_scaled1; /* which is trivial */

/* The transform to 8, 4, 2 or 1 samples a side of a level, as in spool_baseline_idct_at. */
spool_baseline_idct *spool_baseline_scaled_at(int side, int level);

#endif
