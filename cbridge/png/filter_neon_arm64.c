/* The filters for NEON, which every arm64 has. */
#include <arm_neon.h>
#include <string.h>

#include "filter.h"

#define INLINE static inline __attribute__((always_inline))

typedef uint8x16_t vec;

/* A table of one-line functions in the order of filter_simd.h. */
/* clang-format off */
INLINE vec vec_zero(void) { return vdupq_n_u8(0); }
INLINE vec vec_and(vec a, vec b) { return vandq_u8(a, b); }
INLINE vec vec_add(vec a, vec b) { return vaddq_u8(a, b); }
INLINE vec vec_adds(vec a, vec b) { return vqaddq_u8(a, b); }
INLINE vec vec_subs(vec a, vec b) { return vqsubq_u8(a, b); }
INLINE vec vec_min(vec a, vec b) { return vminq_u8(a, b); }
INLINE vec vec_max(vec a, vec b) { return vmaxq_u8(a, b); }
INLINE vec vec_not_above(vec a, vec b) { return vcleq_u8(a, b); }
INLINE vec vec_average(vec a, vec b) { return vhaddq_u8(a, b); }
INLINE vec vec_select(vec mask, vec a, vec b) { return vbslq_u8(mask, a, b); }
INLINE uint32_t word(const uint8_t *p)
{
    uint32_t w;
    memcpy(&w, p, 4);
    return w;
}
INLINE vec vec_behind4(vec v, const uint8_t *p)
{
    return vextq_u8(vreinterpretq_u8_u32(vdupq_n_u32(word(p))), v, 12);
}
INLINE vec vec_behind8(vec v, const uint8_t *p) { return vcombine_u8(vld1_u8(p), vget_low_u8(v)); }
INLINE vec vec_gather4(uint8_t *const *p, size_t at)
{
    const uint32_t words[] = {word(p[0] + at), word(p[1] + at), word(p[2] + at), word(p[3] + at)};
    return vreinterpretq_u8_u32(vld1q_u32(words));
}
INLINE vec vec_gather8(uint8_t *const *p, size_t at) { return vcombine_u8(vld1_u8(p[0] + at), vld1_u8(p[1] + at)); }
INLINE void vec_scatter4(uint8_t *const *p, size_t at, vec v)
{
    uint32_t words[4];
    vst1q_u32(words, vreinterpretq_u32_u8(v));
    for (int k = 0; k < 4; k++)
        memcpy(p[k] + at, &words[k], 4);
}
INLINE void vec_scatter8(uint8_t *const *p, size_t at, vec v)
{
    vst1_u8(p[0] + at, vget_low_u8(v));
    vst1_u8(p[1] + at, vget_high_u8(v));
}
/* clang-format on */

#include "filter_simd.h"
