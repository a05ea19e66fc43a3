/* The inverse DCT for any machine. */
#include "idct.h"

enum { SIDE = 8 };

/* What one pass makes of eight values, times 2^13. Pairs are added in 16 bits. */
static void transform(const int16_t in[SIDE], int32_t out[SIDE])
{
    const int32_t z1 = (in[2] + in[6]) * C_0_541;
    const int32_t t2 = z1 - in[6] * C_1_847, t3 = z1 + in[2] * C_0_765;
    const int32_t t0 = (int16_t)(in[0] + in[4]) * (1 << IDCT_BITS), t1 = (int16_t)(in[0] - in[4]) * (1 << IDCT_BITS);
    const int32_t even[4] = {t0 + t3, t1 + t2, t1 - t2, t0 - t3};

    const int16_t a = in[7] + in[3], b = in[5] + in[1];
    const int64_t z3 = a * (C_1_175 - C_1_961) + b * (int64_t)C_1_175;
    const int64_t z4 = a * (int64_t)C_1_175 + b * (C_1_175 - C_0_390);
    const int64_t odd[4] = {
        in[1] * (C_1_501 - C_0_899) - in[7] * C_0_899 + z4,
        in[3] * (C_3_072 - C_2_562) - in[5] * C_2_562 + z3,
        in[5] * (C_2_053 - C_2_562) - in[3] * C_2_562 + z4,
        in[7] * (C_0_298 - C_0_899) - in[1] * C_0_899 + z3,
    };
    for (int i = 0; i < 4; i++) {
        out[i] = (int32_t)(uint32_t)(even[i] + odd[i]);
        out[SIDE - 1 - i] = (int32_t)(uint32_t)(even[i] - odd[i]);
    }
}

/* v / 2^n, rounded. */
static int32_t scaled(int32_t v, int n)
{
    return (int32_t)((uint32_t)v + (1u << (n - 1))) >> n;
}

static int transform_block(const int16_t *block, const uint16_t *quant, uint8_t *out, ptrdiff_t stride)
{
    int16_t rows[SIDE][SIDE];
    int32_t sums[SIDE];
    for (int x = 0; x < SIDE; x++) {
        int16_t column[SIDE];
        for (int y = 0; y < SIDE; y++)
            column[y] = (int16_t)(uint32_t)(block[SIDE * y + x] * quant[SIDE * y + x]);
        transform(column, sums);
        for (int y = 0; y < SIDE; y++) {
            const int32_t v = scaled(sums[y], IDCT_BITS - IDCT_EXTRA);
            if (v < -IDCT_RANGE || v > IDCT_RANGE)
                return 1;
            rows[y][x] = v;
        }
    }
    for (int y = 0; y < SIDE; y++) {
        transform(rows[y], sums);
        for (int x = 0; x < SIDE; x++) {
            const int32_t v = scaled(sums[x], IDCT_BITS + IDCT_EXTRA + 3) + 128;
            out[y * stride + x] = v < 0 ? 0 : v > 255 ? 255 : v;
        }
    }
    return 0;
}

int spool_baseline_idct_scalar(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride)
{
    int beyond = 0;
    for (size_t i = 0; i < n; i++)
        beyond |= transform_block(blocks + 64 * i, quant, out + SIDE * i, stride);
    return beyond;
}
