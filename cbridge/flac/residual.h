/* Residuals: the differences between samples and predictions. */
#ifndef SPOOL_FLAC_RESIDUAL_H
#define SPOOL_FLAC_RESIDUAL_H

#include "bits.h"
#include "predict.h"

/*
 * Reads the residual of a block of n samples into x, from x[order]: the first `order` samples have none. If p is not
 * NULL, it converts the residual to samples. Returns SPOOL_FLAC_DONE or a reason.
 */
int spool_flac_residual(flac_bits *bits, const flac_predictor *p, int32_t order, int32_t *x, int32_t n);

#endif
