/*
 * From coefficients to samples of a smaller picture: each is the mean of 2 x 2, 4 x 4 or 8 x 8 samples that the
 * inverse DCT would give, computed from the coefficients without these. Means of neighbours are linear in the
 * coefficients, as the samples are, so that a pass is a product with a matrix: the eight columns of the DCT's, with
 * neighbouring rows averaged. libjpeg's reduced transforms (jidctred.c) are the same means, factored.
 *
 * Sums are kept in 32 bits, and what the first pass gives in 16, saturated: a block that goes beyond is not
 * exact, but nothing worse.
 */
#ifndef SPOOL_BASELINE_SCALED_H
#define SPOOL_BASELINE_SCALED_H

#include "idct.h"

/* Shifts at the end of the passes. */
enum { SCALED_FIRST = IDCT_BITS - IDCT_EXTRA, SCALED_SECOND = IDCT_BITS + IDCT_EXTRA + 3 };

/*
 * Times 2^13, what coefficients count in the means of two samples, four of them a side: coefficient 0 counts 1, 4
 * nothing; 2 and 6 these in means 0 and 3, and in 1 and 2 negated; the odd ones a row for means 0 and 1, and negated in
 * 3 and 2.
 */
enum { MEAN4_2 = 7568, MEAN4_6 = -3135 };
static const int16_t MEAN4_ODD[2][4] = {
    /* 1, 3, 5 and 7 */
    {10498, 3686, -2463, -2088},
    {4348, -8900, 5946, -865},
};

/* And in the first of two means of four samples: the even ones but 0 count nothing. */
static const int16_t MEAN2_ODD[4] = {7423, -2607, 1742, -1477};

/* As the transforms of idct.h, but for n * side samples in `side` rows, and always 0. */
spool_baseline_idct spool_baseline_scaled4_scalar, spool_baseline_scaled4_sse41, spool_baseline_scaled4_avx2,
    spool_baseline_scaled4_neon;
spool_baseline_idct spool_baseline_scaled2_scalar, spool_baseline_scaled2_sse41, spool_baseline_scaled2_avx2,
    spool_baseline_scaled2_neon;
spool_baseline_idct spool_baseline_scaled1; /* which has next to nothing to do */

/* The transform to 8, 4, 2 or 1 samples a side, of a level as spool_baseline_idct_at. */
spool_baseline_idct *spool_baseline_scaled_at(int side, int level);

#endif
