/* The inverse DCT for any machine. */
#include "idct.h"

enum { SIDE = 8 };

/* One pass over eight values. The result is scaled by 2^13. */
static void transform(const int16_t in[SIDE], int32_t out[SIDE])
{
    const int32_t sum = (in[0] + in[4]) * (1 << IDCT_BITS), difference = (in[0] - in[4]) * (1 << IDCT_BITS);
    const int32_t outer = in[2] * IDCT_2_IN_0 + in[6] * IDCT_6_IN_0, inner = in[2] * IDCT_2_IN_1 + in[6] * IDCT_6_IN_1;
    const int32_t even[4] = {sum + outer, difference + inner, difference - inner, sum - outer};
    for (int i = 0; i < 4; i++) {
        const int16_t *c = IDCT_ODD[i];
        const int32_t odd = c[0] * in[1] + c[1] * in[3] + c[2] * in[5] + c[3] * in[7];
        out[i] = even[i] + odd;
        out[SIDE - 1 - i] = even[i] - odd;
    }
}

/* v / 2^n, rounded. */
static int32_t scaled(int32_t v, int n)
{
    return (v + (1 << (n - 1))) >> n;
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
            const int32_t v = scaled(sums[y], IDCT_FIRST);
            if (v < -IDCT_RANGE || v > IDCT_RANGE)
                return 1;
            rows[y][x] = v;
        }
    }
    for (int y = 0; y < SIDE; y++) {
        transform(rows[y], sums);
        for (int x = 0; x < SIDE; x++) {
            const int32_t v = scaled(sums[x], IDCT_SECOND) + 128;
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
