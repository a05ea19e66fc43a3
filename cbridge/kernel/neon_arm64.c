/* The kernels for NEON, which every arm64 has: one lane of 16 bytes. */
#include <arm_neon.h>

#include "vector.h"

typedef uint8x16_t vec;

#define KEEP(v) __asm__("" : "+w"(v))
#define VEC_LANES 1
#define VEC_KERNELS spool_kernels_neon
#define VEC_NAME "neon"

#define S16(v) vreinterpretq_s16_u8(v)
#define S32(v) vreinterpretq_s32_u8(v)
#define FROM_S32(v) vreinterpretq_u8_s32(v)

/* A table of one-line functions in the order of vector.h. */
/* clang-format off */
INLINE vec vec_zero(void) { return vdupq_n_u8(0); }
INLINE vec vec_load(const uint8_t *p) { return vld1q_u8(p); }
INLINE void vec_store(uint8_t *p, vec v) { vst1q_u8(p, v); }
INLINE vec vec_load_lanes(const uint8_t *const *lane, size_t at) { return vec_load(lane[0] + at); }
INLINE void vec_store_lanes(uint8_t *const *lane, size_t at, vec v) { vec_store(lane[0] + at, v); }
INLINE vec vec_load_bytes(const uint8_t *const *lane, size_t at)
{
    return vreinterpretq_u8_u16(vmovl_u8(vld1_u8(lane[0] + at)));
}
INLINE void vec_store_word(uint8_t *const *lane, size_t at, vec v)
{
    uint32_t word = vgetq_lane_u32(vreinterpretq_u32_u8(v), 0);
    memcpy(lane[0] + at, &word, 4);
}
INLINE vec vec_repeat_lane(const void *p) { return vec_load(p); }
INLINE vec vec_repeat_word(const void *p)
{
    uint32_t word;
    memcpy(&word, p, 4);
    return vreinterpretq_u8_u32(vdupq_n_u32(word));
}
INLINE vec vec_shuffle(vec bytes, vec index) { return vqtbl1q_u8(bytes, index); }
INLINE vec vec_xor(vec a, vec b) { return veorq_u8(a, b); }
INLINE vec vec_add(vec a, vec b) { return FROM_S32(vaddq_s32(S32(a), S32(b))); }
INLINE vec vec_shift(vec v, int n) { return FROM_S32(vshlq_s32(S32(v), vdupq_n_s32(-n))); }
INLINE vec vec_shift_left(vec v, int n) { return FROM_S32(vshlq_s32(S32(v), vdupq_n_s32(n))); }
INLINE vec vec_sum_neighbours(vec a, vec b) { return FROM_S32(vpaddq_s32(S32(a), S32(b))); }
INLINE vec vec_dot(vec a, vec b)
{
    return vec_sum_neighbours(FROM_S32(vmull_s16(vget_low_s16(S16(a)), vget_low_s16(S16(b)))),
                              FROM_S32(vmull_high_s16(S16(a), S16(b))));
}
INLINE vec vec_zip_low(vec a, vec b) { return vzip1q_u8(a, b); }
INLINE vec vec_zip_high(vec a, vec b) { return vzip2q_u8(a, b); }
INLINE vec vec_zip_words_low(vec a, vec b) { return vreinterpretq_u8_s16(vzip1q_s16(S16(a), S16(b))); }
INLINE vec vec_zip_words_high(vec a, vec b) { return vreinterpretq_u8_s16(vzip2q_s16(S16(a), S16(b))); }
INLINE vec vec_narrow32(vec a, vec b)
{
    return vreinterpretq_u8_s16(vcombine_s16(vqmovn_s32(S32(a)), vqmovn_s32(S32(b))));
}
INLINE vec vec_narrow16(vec a, vec b) { return vcombine_u8(vqmovun_s16(S16(a)), vqmovun_s16(S16(b))); }
INLINE vec vec_add_dot(vec sum, vec a, vec b)
{
    sum = vec_add(sum, vec_dot(a, b));
    KEEP(sum);
    return sum;
}
/* clang-format on */

#include "kernels_simd.h"
