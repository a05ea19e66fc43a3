/* Samples of those before them. */
#ifndef SPOOL_FLAC_PREDICT_H
#define SPOOL_FLAC_PREDICT_H

#include <stdint.h>

#define MAX_ORDER 32

/* A sample is predicted to be the sum of those before it, the last one times c[0], shifted right. */
typedef struct {
    int32_t order, shift;
    int64_t c[MAX_ORDER];
} flac_predictor;

/* n times what a prediction lacks becomes a sample. Those before them are before x. They are modulo 2^32. */
void spool_flac_predict(const flac_predictor *p, int32_t *x, int32_t n);

/* The same for samples that 32 bits do not hold. */
void spool_flac_predict_wide(const flac_predictor *p, const int32_t *residual, int64_t *x, int32_t n);

/* The sample of which e is what its prediction lacks. It has to wait for the last one, which is added last, and
 * goes from sample to sample in a register. */
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
