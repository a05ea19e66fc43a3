/* Rice codes: RFC 9639, section 9.2.7. */
#ifndef SPOOL_FLAC_RICE_H
#define SPOOL_FLAC_RICE_H

#include "bits.h"
#include "predict.h"

/* Codes with more low bits are rare, and are read one by one. */
#define RICE_MOST 23

/* Predictors of a higher order run after all codes have been read. */
#define RICE_ORDER 12

/* Reads n codes with k low bits, at most RICE_MOST, and converts them to samples. */
typedef int spool_flac_codes(flac_bits *r, int k, const flac_predictor *p, int32_t *x, int32_t n);

extern spool_flac_codes
    *const spool_flac_codes_of[RICE_ORDER + 1]; /* by order of the predictor; order 0 predicts nothing */

/* Reads one code with any k. Returns SPOOL_FLAC_DONE or a reason. */
int spool_flac_code(flac_bits *r, int k, int32_t *out);

#endif
