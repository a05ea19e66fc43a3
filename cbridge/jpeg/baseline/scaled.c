/* Scaled transforms for any machine. */
#include "scaled.h"

#define INLINE static inline __attribute__((always_inline))

enum { SIDE = 8 };

/* One pass over eight values. The result is scaled by 2^13. */
typedef void means(const int16_t in[SIDE], int32_t out[]);

static void means4(const int16_t in[SIDE], int32_t out[])
{
    const int32_t constant = in[0] * (1 << IDCT_BITS), outer = in[2] * MEAN4_2 + in[6] * MEAN4_6;
    const int32_t even[2] = {constant + outer, constant - outer};
    for (int i = 0; i < 2; i++) {
        const int16_t *c = MEAN4_ODD[i];
        const int32_t odd = c[0] * in[1] + c[1] * in[3] + c[2] * in[5] + c[3] * in[7];
        out[i] = even[i] + odd;
        out[3 - i] = even[i] - odd;
    }
}

static void means2(const int16_t in[SIDE], int32_t out[])
{
    const int32_t constant = in[0] * (1 << IDCT_BITS);
    const int16_t *c = MEAN2_ODD;
    const int32_t odd = c[0] * in[1] + c[1] * in[3] + c[2] * in[5] + c[3] * in[7];
    out[0] = constant + odd;
    out[1] = constant - odd;
}

/* v / 2^n, rounded. */
static int32_t scaled(int32_t v, int n)
{
    return (v + (1 << (n - 1))) >> n;
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

INLINE void transform(means *means, const int16_t *block, const uint16_t *quant, const int side, uint8_t *out,
                      ptrdiff_t stride)
{
    int16_t rows[4][SIDE], column[SIDE];
    int32_t sums[4];
    for (int x = 0; x < SIDE; x++) {
        for (int y = 0; y < SIDE; y++)
            column[y] = (int16_t)(uint32_t)(block[SIDE * y + x] * quant[SIDE * y + x]);
        means(column, sums);
        for (int y = 0; y < side; y++)
            rows[y][x] = saturated(scaled(sums[y], SCALED_FIRST));
    }
    for (int y = 0; y < side; y++) {
        means(rows[y], sums);
        for (int x = 0; x < side; x++)
            out[y * stride + x] = sample(scaled(sums[x], SCALED_SECOND));
    }
}

int spool_baseline_scaled4_scalar(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out,
                                  ptrdiff_t stride)
{
    for (size_t i = 0; i < n; i++)
        transform(means4, blocks + 64 * i, quant, 4, out + 4 * i, stride);
    return 0;
}

int spool_baseline_scaled2_scalar(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out,
                                  ptrdiff_t stride)
{
    for (size_t i = 0; i < n; i++)
        transform(means2, blocks + 64 * i, quant, 2, out + 2 * i, stride);
    return 0;
}

int spool_baseline_scaled1(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride)
{
    (void)stride;
    for (size_t i = 0; i < n; i++)
        out[i] = sample(scaled((int16_t)(uint32_t)(blocks[64 * i] * quant[0]), 3));
    return 0;
}
