/* The inverse DCT for NEON: a block at a time. */
#include <arm_neon.h>

#include "idct.h"

#define INLINE static inline __attribute__((always_inline))

/* Sums of 32 bits, of the low and the high words of a vector. */
typedef struct {
    int32x4_t low, high;
} wide;

/* s + a * x + b * y */
INLINE wide add_products(wide s, int16x8_t x, int16x8_t y, int16_t a, int16_t b)
{
    return (wide){vmlal_n_s16(vmlal_n_s16(s.low, vget_low_s16(x), a), vget_low_s16(y), b),
                  vmlal_high_n_s16(vmlal_high_n_s16(s.high, x, a), y, b)};
}

INLINE wide products(int16x8_t x, int16x8_t y, int16_t a, int16_t b)
{
    return (wide){vmlal_n_s16(vmull_n_s16(vget_low_s16(x), a), vget_low_s16(y), b),
                  vmlal_high_n_s16(vmull_high_n_s16(x, a), y, b)};
}

INLINE wide sum(wide a, wide b)
{
    return (wide){vaddq_s32(a.low, b.low), vaddq_s32(a.high, b.high)};
}

INLINE wide difference(wide a, wide b)
{
    return (wide){vsubq_s32(a.low, b.low), vsubq_s32(a.high, b.high)};
}

INLINE int16x8_t scaled(wide s, const int shift)
{
    const int32x4_t right = vdupq_n_s32(-shift);
    return vcombine_s16(vqmovn_s32(vshlq_s32(s.low, right)), vqmovn_s32(vshlq_s32(s.high, right)));
}

/* One pass down the columns, with a shift at its end, before which `bias` is added. */
INLINE void transform(int16x8_t v[8], const int shift, const int bias)
{
    const int32x4_t constant = vdupq_n_s32((1 << (shift - 1)) + (bias << shift));
    const wide rounding = {constant, constant};
    const wide t0 = add_products(rounding, v[0], v[4], 1 << IDCT_BITS, 1 << IDCT_BITS);
    const wide t1 = add_products(rounding, v[0], v[4], 1 << IDCT_BITS, -(1 << IDCT_BITS));
    const wide outer = products(v[2], v[6], IDCT_2_IN_0, IDCT_6_IN_0);
    const wide inner = products(v[2], v[6], IDCT_2_IN_1, IDCT_6_IN_1);
    const wide even[4] = {sum(t0, outer), sum(t1, inner), difference(t1, inner), difference(t0, outer)};
    wide odd[4];
    for (int i = 0; i < 4; i++) {
        const int16_t *c = IDCT_ODD[i];
        odd[i] = add_products(products(v[1], v[3], c[0], c[1]), v[5], v[7], c[2], c[3]);
    }
    for (int i = 0; i < 4; i++) {
        v[i] = scaled(sum(even[i], odd[i]), shift);
        v[7 - i] = scaled(difference(even[i], odd[i]), shift);
    }
}

INLINE void transpose(int16x8_t v[8])
{
    int32x4_t a[8];
    int64x2_t b[8];
    for (int i = 0; i < 8; i += 2) {
        a[i] = vreinterpretq_s32_s16(vtrn1q_s16(v[i], v[i + 1]));
        a[i + 1] = vreinterpretq_s32_s16(vtrn2q_s16(v[i], v[i + 1]));
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; k++) {
            b[i + k] = vreinterpretq_s64_s32(vtrn1q_s32(a[i + k], a[i + k + 2]));
            b[i + k + 2] = vreinterpretq_s64_s32(vtrn2q_s32(a[i + k], a[i + k + 2]));
        }
    for (int i = 0; i < 4; i++) {
        v[i] = vreinterpretq_s16_s64(vtrn1q_s64(b[i], b[i + 4]));
        v[i + 4] = vreinterpretq_s16_s64(vtrn2q_s64(b[i], b[i + 4]));
    }
}

/* The largest absolute value, as an unsigned number: it may be 2^15. */
INLINE int largest(const int16x8_t v[8])
{
    uint16x8_t most = vreinterpretq_u16_s16(vabsq_s16(v[0]));
    for (int i = 1; i < 8; i++)
        most = vmaxq_u16(most, vreinterpretq_u16_s16(vabsq_s16(v[i])));
    return vmaxvq_u16(most);
}

int spool_baseline_idct_neon(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride)
{
    int beyond = 0;
    for (size_t i = 0; i < n; i++) {
        int16x8_t v[8];
        for (int y = 0; y < 8; y++)
            v[y] = vmulq_s16(vld1q_s16(blocks + 64 * i + 8 * y), vreinterpretq_s16_u16(vld1q_u16(quant + 8 * y)));
        transform(v, IDCT_FIRST, 0);
        beyond |= largest(v) > IDCT_RANGE;
        transpose(v);
        transform(v, IDCT_SECOND, 128);
        transpose(v);
        for (int y = 0; y < 8; y++)
            vst1_u8(out + 8 * i + y * stride, vqmovun_s16(v[y]));
    }
    return beyond;
}
