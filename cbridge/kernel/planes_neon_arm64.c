/* The kernels of the planes sink for NEON. */
#include <arm_neon.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))
#define WORDS 8
#define PLANES_KERNELS spool_planes_neon
#define PLANES_NAME "neon"

typedef uint16_t words __attribute__((vector_size(2 * WORDS)));
typedef int16_t signed_words __attribute__((vector_size(2 * WORDS)));

INLINE words load_bytes(const uint8_t *p)
{
    return (words)vmovl_u8(vld1_u8(p));
}

INLINE words scaled(words v, int coefficient)
{
    const uint16x8_t k = vdupq_n_u16((uint16_t)coefficient), bytes = (uint16x8_t)v;
    return (words)vcombine_u16(vshrn_n_u32(vmull_u16(vget_low_u16(bytes), vget_low_u16(k)), 8),
                               vshrn_n_u32(vmull_high_u16(bytes, k), 8));
}

INLINE words subtract_saturated(words v, int amount)
{
    return (words)vqsubq_u16((uint16x8_t)v, vdupq_n_u16((uint16_t)amount));
}

INLINE signed_words high_product(signed_words v, int factor)
{
    const int16x8_t k = vdupq_n_s16((int16_t)factor), words = (int16x8_t)v;
    return (signed_words)vcombine_s16(vshrn_n_s32(vmull_s16(vget_low_s16(words), vget_low_s16(k)), 16),
                                      vshrn_n_s32(vmull_high_s16(words, k), 16));
}

INLINE signed_words rounded_product(signed_words v, int factor)
{
    return (signed_words)vqrdmulhq_n_s16((int16x8_t)v, (int16_t)factor);
}

INLINE signed_words add_saturated(signed_words a, signed_words b)
{
    return (signed_words)vqaddq_s16((int16x8_t)a, (int16x8_t)b);
}

INLINE void store_rgb(uint8_t *rgb, signed_words r, signed_words g, signed_words b)
{
    const uint8x8x3_t pixels = {{vqmovun_s16((int16x8_t)r), vqmovun_s16((int16x8_t)g), vqmovun_s16((int16x8_t)b)}};
    vst3_u8(rgb, pixels);
}

#include "planes_simd.h"
