/* Linear prediction: RFC 9639, sections 9.2.5 and 9.2.6. */
#include "predict.h"

static inline __attribute__((always_inline)) void predict(const flac_predictor *p, int32_t *x, int32_t n,
                                                          const int order)
{
    const int shift = p->shift;
    int32_t last = x[-1];
    for (int32_t i = 0; i < n; i++)
        x[i] = last = spool_flac_sample(x + i, last, x[i], order, p->c, shift);
}

#define OF(order)                \
    case order:                  \
        predict(p, x, n, order); \
        break;
#define FOUR_OF(order) OF(order) OF(order + 1) OF(order + 2) OF(order + 3)

void spool_flac_predict(const flac_predictor *p, int32_t *x, int32_t n)
{
    switch (p->order) {
        FOUR_OF(1)
        FOUR_OF(5)
        FOUR_OF(9)
        FOUR_OF(13)
        FOUR_OF(17)
        FOUR_OF(21)
        FOUR_OF(25)
        FOUR_OF(29)
    }
}

void spool_flac_predict_wide(const flac_predictor *p, const int32_t *residual, int64_t *x, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        int64_t sum = 0;
        for (int j = 0; j < p->order; j++)
            sum += p->c[j] * x[i - 1 - j];
        x[i] = residual[i] + (sum >> p->shift);
    }
}
