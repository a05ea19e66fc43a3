/* What predictions lack. */
#ifndef SPOOL_FLAC_RESIDUAL_H
#define SPOOL_FLAC_RESIDUAL_H

#include "bits.h"

/* Reads the residual of a block of n samples, of which the first `order` have none, to out[order] and on. Returns
 * SPOOL_FLAC_DONE or a reason. */
int spool_flac_residual(flac_bits *bits, int32_t *out, int32_t n, int32_t order);

#endif
