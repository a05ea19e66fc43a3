/* Upsampling and color conversion for NEON. */
#include <arm_neon.h>

#include "color.h"

#define INLINE static inline __attribute__((always_inline))

enum { PIXELS = 16 };

/* Bytes of red, green and blue. */
typedef struct {
    uint8x8_t r, g, b;
} colors;

/* Converts luma, and chroma reduced by 128, by the factors of color_x86.h. */
INLINE colors converted(uint8x8_t luma, int16x8_t b, int16x8_t r)
{
    const int16x8_t y = vreinterpretq_s16_u16(vmovl_u8(luma));
    const int32x4_t low = vmlal_n_s16(vmull_n_s16(vget_low_s16(b), -22554), vget_low_s16(r), 18734);
    const int32x4_t high = vmlal_n_s16(vmull_n_s16(vget_high_s16(b), -22554), vget_high_s16(r), 18734);
    const int16x8_t rest = vcombine_s16(vrshrn_n_s32(low, 16), vrshrn_n_s32(high, 16));
    return (colors){
        .r = vqmovun_s16(vaddq_s16(vaddq_s16(y, r), vqrdmulhq_n_s16(r, 13173))),
        .g = vqmovun_s16(vaddq_s16(vsubq_s16(y, r), rest)),
        .b = vqmovun_s16(vaddq_s16(vaddq_s16(y, vaddq_s16(b, b)), vqrdmulhq_n_s16(b, -7471))),
    };
}

INLINE uint8x16_t alternating(uint8x8_t even, uint8x8_t odd)
{
    return vcombine_u8(vzip1_u8(even, odd), vzip2_u8(even, odd));
}

INLINE void store(uint8_t *rgb, colors even, colors odd)
{
    const uint8x16x3_t pixels = {{alternating(even.r, odd.r), alternating(even.g, odd.g), alternating(even.b, odd.b)}};
    vst3q_u8(rgb, pixels);
}

/* Interpolates chroma between these sums and their neighbors. */
INLINE int16x8_t between(const int16_t *sums, int beside, int rounding)
{
    const int16x8_t thrice = vmulq_n_s16(vld1q_s16(sums), 3);
    return vshrq_n_s16(vaddq_s16(vaddq_s16(thrice, vdupq_n_s16(rounding)), vld1q_s16(sums + beside)), 4);
}

INLINE void convert_wide_block(const uint8_t *y, const int16_t *cb, const int16_t *cr, spool_baseline_rounding rounding,
                               uint8_t *rgb)
{
    const uint8x8x2_t luma = vld2_u8(y);
    store(rgb, converted(luma.val[0], between(cb, -1, rounding.even), between(cr, -1, rounding.even)),
          converted(luma.val[1], between(cb, 1, rounding.odd), between(cr, 1, rounding.odd)));
}

/* Chroma reduced by 128. */
INLINE int16x8_t centred(uint8x8_t chroma)
{
    return vreinterpretq_s16_u16(vsubl_u8(chroma, vdup_n_u8(128)));
}

INLINE void convert_block(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, uint8_t *rgb)
{
    const uint8x8x2_t luma = vld2_u8(y), b = vld2_u8(cb), r = vld2_u8(cr);
    store(rgb, converted(luma.val[0], centred(b.val[0]), centred(r.val[0])),
          converted(luma.val[1], centred(b.val[1]), centred(r.val[1])));
}

#include "color_blocks.h"

const spool_baseline_color spool_baseline_color_neon = {add, convert_wide, convert};
