/* Scaled transforms for any machine. */
#include "scaled.h"

#include "baseline.h"

enum { SIDE = 8 };

const int16_t spool_baseline_means4[4][SIDE] = {
    {8192, 10498, 7568, 3686, 0, -2463, -3135, -2088},
    {8192, 4348, -7568, -8900, 0, 5946, 3135, -865},
    {8192, -4348, -7568, 8900, 0, -5946, 3135, 865},
    {8192, -10498, 7568, -3686, 0, 2463, -3135, 2088},
};
const int16_t spool_baseline_means2[2][SIDE] = {
    {8192, 7423, 0, -2607, 0, 1742, 0, -1477},
    {8192, -7423, 0, 2607, 0, -1742, 0, 1477},
};

/* v / 2^n, rounded. */
static int32_t scaled(int32_t v, int n)
{
    return (v + (1 << (n - 1))) >> n;
}

static int32_t product(const int16_t *means, const int16_t *values)
{
    int32_t sum = 0;
    for (int k = 0; k < SIDE; k++)
        sum += means[k] * values[k];
    return sum;
}

static int16_t saturated(int32_t v)
{
    return v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v;
}

static uint8_t sample(int32_t v)
{
    v += 128;
    return v < 0 ? 0 : v > 255 ? 255 : v;
}

static void transform(const int16_t *block, const uint16_t *quant, const int16_t (*means)[SIDE], int side, uint8_t *out,
                      ptrdiff_t stride)
{
    int16_t rows[SIDE][SIDE], column[SIDE];
    for (int x = 0; x < SIDE; x++) {
        for (int y = 0; y < SIDE; y++)
            column[y] = (int16_t)(uint32_t)(block[SIDE * y + x] * quant[SIDE * y + x]);
        for (int y = 0; y < side; y++)
            rows[y][x] = saturated(scaled(product(means[y], column), IDCT_BITS - IDCT_EXTRA));
    }
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            out[y * stride + x] = sample(scaled(product(means[x], rows[y]), IDCT_BITS + IDCT_EXTRA + 3));
}

int spool_baseline_scaled4_scalar(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out,
                                  ptrdiff_t stride)
{
    for (size_t i = 0; i < n; i++)
        transform(blocks + 64 * i, quant, spool_baseline_means4, 4, out + 4 * i, stride);
    return 0;
}

int spool_baseline_scaled2_scalar(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out,
                                  ptrdiff_t stride)
{
    for (size_t i = 0; i < n; i++)
        transform(blocks + 64 * i, quant, spool_baseline_means2, 2, out + 2 * i, stride);
    return 0;
}

int spool_baseline_scaled1(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride)
{
    (void)stride;
    for (size_t i = 0; i < n; i++)
        out[i] = sample(scaled((int16_t)(uint32_t)(blocks[64 * i] * quant[0]), 3));
    return 0;
}

spool_baseline_idct *spool_baseline_scaled_at(int side, int level)
{
    if (side == SIDE)
        return spool_baseline_idct_at(level);
    if (side == 1)
        return spool_baseline_scaled1;
#if defined(__x86_64__)
    if (level >= SPOOL_BASELINE_AVX2)
        return side == 4 ? spool_baseline_scaled4_avx2 : spool_baseline_scaled2_avx2;
#else
    (void)level;
#endif
    return side == 4 ? spool_baseline_scaled4_scalar : spool_baseline_scaled2_scalar;
}
