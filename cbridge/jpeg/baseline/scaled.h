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

/* Times 2^13, as the constants of idct.h: row m gives sample m of `side` from the eight coefficients. */
extern const int16_t spool_baseline_means4[4][8], spool_baseline_means2[2][8];

/* As the transforms of idct.h, but for n * side samples in `side` rows, and always 0. */
spool_baseline_idct spool_baseline_scaled4_scalar, spool_baseline_scaled2_scalar, spool_baseline_scaled1;
spool_baseline_idct spool_baseline_scaled4_avx2, spool_baseline_scaled2_avx2;

/* The transform to 8, 4, 2 or 1 samples a side, of a level as spool_baseline_idct_at. */
spool_baseline_idct *spool_baseline_scaled_at(int side, int level);

#endif
