/* Samples of those before them. */
#ifndef SPOOL_FLAC_PREDICT_H
#define SPOOL_FLAC_PREDICT_H

#include <stdint.h>

#define MAX_ORDER 32

/* A sample is predicted to be the sum of those before it, the last one times c[0], shifted right. */
typedef struct {
    int32_t order, shift;
    int32_t c[MAX_ORDER];
} flac_predictor;

/* x has the first samples, and behind them what the predictions lack: samples take its place. They are modulo 2^32. */
void spool_flac_predict(const flac_predictor *p, int32_t *x, int32_t n);

/* The same for samples that 32 bits do not hold. */
void spool_flac_predict_wide(const flac_predictor *p, const int32_t *residual, int64_t *x, int32_t n);

#endif
