/* The residual of a subframe: RFC 9639, section 9.2.7. */
#include "reason.h"
#include "residual.h"
#include "rice.h"

/* Reads n numbers of `bits` bits. */
static int numbers(flac_bits *r, int bits, int32_t *x, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        if (!holds(r, bits))
            return SPOOL_FLAC_END;
        x[i] = bits == 0 ? 0 : (int32_t)take_signed(r, bits);
    }
    return SPOOL_FLAC_DONE;
}

/* Reads n codes one by one. */
static int long_codes(flac_bits *r, int k, int32_t *x, int32_t n)
{
    int status = SPOOL_FLAC_DONE;
    for (int32_t i = 0; i < n && status == SPOOL_FLAC_DONE; i++)
        status = spool_flac_code(r, k, x + i);
    return status;
}

int spool_flac_residual(flac_bits *r, const flac_predictor *p, int32_t order, int32_t *x, int32_t n)
{
    static const flac_predictor none = {.order = 0};
    if (!holds(r, 6))
        return SPOOL_FLAC_END;
    const int method = take(r, 2), partitions = take(r, 4);
    const int32_t size = n >> partitions;
    if (method > 1 || size << partitions != n || size < order)
        return SPOOL_FLAC_RESIDUAL;
    const int width = 4 + method, escape = (1 << width) - 1;
    const flac_predictor *fused = p != NULL && order <= RICE_ORDER ? p : &none;
    int32_t at = order;
    for (int i = 1; i <= 1 << partitions; i++) {
        const int32_t count = size * i - at;
        if (!holds(r, width + 5))
            return SPOOL_FLAC_END; /* a partition has at least five more bits, or the frame's checksum follows */
        const int k = take(r, width);
        int status;
        const flac_predictor *open = p;
        if (k == escape) {
            status = numbers(r, take(r, 5), x + at, count);
        } else if (k > RICE_MOST) {
            status = long_codes(r, k, x + at, count);
        } else {
            status = spool_flac_codes_of[fused->order](r, k, fused, x + at, count);
            open = fused == p ? NULL : p;
        }
        if (status != SPOOL_FLAC_DONE)
            return status;
        if (open != NULL)
            spool_flac_predict(open, x + at, count);
        at += count;
    }
    return SPOOL_FLAC_DONE;
}
