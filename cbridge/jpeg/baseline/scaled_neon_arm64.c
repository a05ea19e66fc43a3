/* Scaled transforms for NEON: a block at a time. */
#include <arm_neon.h>
#include <string.h>

#include "scaled.h"

#define INLINE static inline __attribute__((always_inline))

INLINE int16x8_t load_row(const int16_t *block, const uint16_t *quant, int y)
{
    return vmulq_s16(vld1q_s16(block + 8 * y), vreinterpretq_s16_u16(vld1q_u16(quant + 8 * y)));
}

/* One pass over four columns. */
INLINE void means4(const int16x4_t in[8], int32x4_t out[4])
{
    const int32x4_t constant = vshll_n_s16(in[0], IDCT_BITS);
    const int32x4_t outer = vmlal_n_s16(vmull_n_s16(in[2], MEAN4_2), in[6], MEAN4_6);
    const int32x4_t even[2] = {vaddq_s32(constant, outer), vsubq_s32(constant, outer)};
    for (int i = 0; i < 2; i++) {
        const int16_t *c = MEAN4_ODD[i];
        int32x4_t odd = vmull_n_s16(in[1], c[0]);
        for (int k = 1; k < 4; k++)
            odd = vmlal_n_s16(odd, in[2 * k + 1], c[k]);
        out[i] = vaddq_s32(even[i], odd);
        out[3 - i] = vsubq_s32(even[i], odd);
    }
}

INLINE void means2(const int16x4_t in[8], int32x4_t out[2])
{
    const int32x4_t constant = vshll_n_s16(in[0], IDCT_BITS);
    int32x4_t odd = vmull_n_s16(in[1], MEAN2_ODD[0]);
    for (int k = 1; k < 4; k++)
        odd = vmlal_n_s16(odd, in[2 * k + 1], MEAN2_ODD[k]);
    out[0] = vaddq_s32(constant, odd);
    out[1] = vsubq_s32(constant, odd);
}

/* The first pass, down the columns, to `side` rows. */
INLINE void first_pass(const int16_t *block, const uint16_t *quant, const int side, int16x8_t rows[])
{
    int16x4_t low[8], high[8];
    int32x4_t left[4], right[4];
    for (int y = 0; y < 8; y++) {
        const int16x8_t row = load_row(block, quant, y); /* rows with the weight 0 are not loaded */
        low[y] = vget_low_s16(row);
        high[y] = vget_high_s16(row);
    }
    (side == 4 ? means4 : means2)(low, left);
    (side == 4 ? means4 : means2)(high, right);
    for (int y = 0; y < side; y++)
        rows[y] = vcombine_s16(vqrshrn_n_s32(left[y], SCALED_FIRST), vqrshrn_n_s32(right[y], SCALED_FIRST));
}

/* Transposes four rows of words to columns. */
INLINE void turn(const int16x8_t rows[4], int16x4_t columns[8])
{
    int32x4_t a[4];
    for (int i = 0; i < 2; i++) {
        a[2 * i] = vreinterpretq_s32_s16(vtrn1q_s16(rows[2 * i], rows[2 * i + 1]));
        a[2 * i + 1] = vreinterpretq_s32_s16(vtrn2q_s16(rows[2 * i], rows[2 * i + 1]));
    }
    for (int i = 0; i < 2; i++) {
        const int16x8_t b = vreinterpretq_s16_s32(vtrn1q_s32(a[i], a[i + 2]));
        const int16x8_t c = vreinterpretq_s16_s32(vtrn2q_s32(a[i], a[i + 2]));
        columns[i] = vget_low_s16(b);
        columns[i + 4] = vget_high_s16(b);
        columns[i + 2] = vget_low_s16(c);
        columns[i + 6] = vget_high_s16(c);
    }
}

/* The end of the second pass. */
INLINE uint8x8_t samples(int32x4_t a, int32x4_t b)
{
    const int16x8_t words =
        vcombine_s16(vmovn_s32(vrshrq_n_s32(a, SCALED_SECOND)), vmovn_s32(vrshrq_n_s32(b, SCALED_SECOND)));
    return vqmovun_s16(vaddq_s16(words, vdupq_n_s16(128)));
}

int spool_baseline_scaled4_neon(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride)
{
    static const uint8_t turned[16] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
    for (size_t i = 0; i < n; i++) {
        int16x8_t rows[4];
        int16x4_t columns[8];
        int32x4_t sums[4];
        uint32_t row[4];
        first_pass(blocks + 64 * i, quant, 4, rows);
        turn(rows, columns);
        means4(columns, sums);
        const uint8x16_t bytes = vcombine_u8(samples(sums[0], sums[1]), samples(sums[2], sums[3]));
        vst1q_u32(row, vreinterpretq_u32_u8(vqtbl1q_u8(bytes, vld1q_u8(turned))));
        for (int y = 0; y < 4; y++)
            memcpy(out + 4 * i + y * stride, &row[y], 4);
    }
    return 0;
}

int spool_baseline_scaled2_neon(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride)
{
    const int16x4_t factors = vld1_s16(MEAN2_ODD);
    for (size_t i = 0; i < n; i++) {
        int16x8_t rows[2];
        first_pass(blocks + 64 * i, quant, 2, rows);
        const int16x8_t even = vtrn1q_s16(rows[0], rows[1]), odd = vtrn2q_s16(rows[0], rows[1]);
        const int32x2_t constant = vget_low_s32(vshll_n_s16(vget_low_s16(even), IDCT_BITS));
        const int32x4_t sums = vmlal_s16(vmull_s16(vget_low_s16(odd), vzip1_s16(factors, factors)), vget_high_s16(odd),
                                         vzip2_s16(factors, factors));
        const int32x2_t rest = vadd_s32(vget_low_s32(sums), vget_high_s32(sums));
        const int32x2_t a = vadd_s32(constant, rest), b = vsub_s32(constant, rest);
        const int32x4_t both = vcombine_s32(vzip1_s32(a, b), vzip2_s32(a, b));
        uint16_t row[4];
        vst1_u16(row, vreinterpret_u16_u8(samples(both, both)));
        memcpy(out + 2 * i, &row[0], 2);
        memcpy(out + 2 * i + stride, &row[1], 2);
    }
    return 0;
}
