/* Rice codes: RFC 9639, section 9.2.7. */
#ifndef SPOOL_FLAC_RICE_H
#define SPOOL_FLAC_RICE_H

#include "bits.h"
#include "predict.h"

/* Codes whose lower part has more bits are rare, and read one by one. */
#define RICE_MOST 23

/* Predictors of a higher order are applied when all codes have been read. */
#define RICE_ORDER 12

/* Reads n codes with k bits below the part that is counted, RICE_MOST at most, and makes samples of them. */
typedef int spool_flac_codes(flac_bits *r, int k, const flac_predictor *p, int32_t *x, int32_t n);

extern spool_flac_codes
    *const spool_flac_codes_of[RICE_ORDER + 1]; /* for predictors of an order; those of 0 are not used */

/* One code, whatever k is. Returns SPOOL_FLAC_DONE or a reason. */
int spool_flac_code(flac_bits *r, int k, int32_t *out);

#endif
