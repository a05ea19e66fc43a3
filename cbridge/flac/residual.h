/* What predictions lack. */
#ifndef SPOOL_FLAC_RESIDUAL_H
#define SPOOL_FLAC_RESIDUAL_H

#include "bits.h"
#include "predict.h"

/* Reads the residual of a block of n samples, of which the first `order` have none, to x[order] and on. With a
 * predictor samples are made of it. Returns SPOOL_FLAC_DONE or a reason. */
int spool_flac_residual(flac_bits *bits, const flac_predictor *p, int32_t order, int32_t *x, int32_t n);

#endif
