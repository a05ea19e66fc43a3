/* Prediction of samples from previous samples. */
#ifndef SPOOL_FLAC_PREDICT_H
#define SPOOL_FLAC_PREDICT_H

#include <stdint.h>

#define MAX_ORDER 32

/*
 * The prediction is the sum of the previous samples times the coefficients, shifted right. c[0] is for the last sample.
 */
typedef struct {
    int32_t order, shift;
    int64_t c[MAX_ORDER];
} flac_predictor;

/* Adds predictions to n residuals in place. The previous samples precede x. Results are modulo 2^32. */
void spool_flac_predict(const flac_predictor *p, int32_t *x, int32_t n);

/* The same for samples that need more than 32 bits. */
void spool_flac_predict_wide(const flac_predictor *p, const int32_t *residual, int64_t *x, int32_t n);

/*
 * Returns the sample with residual e. The previous sample is in a register and is added last, as each step depends on
 * it.
 */
static inline __attribute__((always_inline)) int32_t spool_flac_sample(const int32_t *x, int32_t last, int32_t e,
                                                                       const int order, const int64_t *c, int shift)
{
    if (order == 0)
        return e;
    int64_t sum = 0;
    for (int j = order - 1; j > 0; j--)
        sum += c[j] * x[-1 - j];
    sum += c[0] * last;
    return (int32_t)((uint32_t)e + (uint32_t)(sum >> shift));
}

#endif
