/* The kernels for SSE4.1: one lane of 16 bytes. */
#include "target_sse41.h"

#include "vector.h"

typedef __m128i vec;

#define KEEP(v) __asm__("" : "+x"(v))
#define VEC_LANES 1
#define VEC_KERNELS spool_kernels_sse41
#define VEC_NAME "sse4.1"

/* A table of one-line functions in the order of vector.h. */
/* clang-format off */
INLINE vec vec_zero(void) { return _mm_setzero_si128(); }
INLINE vec vec_load(const uint8_t *p) { return _mm_loadu_si128((const __m128i *)p); }
INLINE void vec_store(uint8_t *p, vec v) { _mm_storeu_si128((__m128i *)p, v); }
INLINE vec vec_load_lanes(const uint8_t *const *lane, size_t at) { return vec_load(lane[0] + at); }
INLINE void vec_store_lanes(uint8_t *const *lane, size_t at, vec v) { vec_store(lane[0] + at, v); }
INLINE vec vec_load_bytes(const uint8_t *const *lane, size_t at)
{
    return _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)(lane[0] + at)));
}
INLINE void vec_store_word(uint8_t *const *lane, size_t at, vec v)
{
    int32_t word = _mm_cvtsi128_si32(v);
    memcpy(lane[0] + at, &word, 4);
}
INLINE vec vec_repeat_lane(const void *p) { return vec_load(p); }
INLINE vec vec_repeat_word(const void *p)
{
    int32_t word;
    memcpy(&word, p, 4);
    return _mm_set1_epi32(word);
}
INLINE vec vec_shuffle(vec bytes, vec index) { return _mm_shuffle_epi8(bytes, index); }
INLINE vec vec_xor(vec a, vec b) { return _mm_xor_si128(a, b); }
INLINE vec vec_add(vec a, vec b) { return _mm_add_epi32(a, b); }
INLINE vec vec_shift(vec v, int n) { return _mm_sra_epi32(v, _mm_cvtsi32_si128(n)); }
INLINE vec vec_shift_left(vec v, int n) { return _mm_sll_epi32(v, _mm_cvtsi32_si128(n)); }
INLINE vec vec_dot(vec a, vec b) { return _mm_madd_epi16(a, b); }
INLINE vec vec_sum_neighbours(vec a, vec b) { return _mm_hadd_epi32(a, b); }
INLINE vec vec_zip_low(vec a, vec b) { return _mm_unpacklo_epi8(a, b); }
INLINE vec vec_zip_high(vec a, vec b) { return _mm_unpackhi_epi8(a, b); }
INLINE vec vec_zip_words_low(vec a, vec b) { return _mm_unpacklo_epi16(a, b); }
INLINE vec vec_zip_words_high(vec a, vec b) { return _mm_unpackhi_epi16(a, b); }
INLINE vec vec_narrow32(vec a, vec b) { return _mm_packs_epi32(a, b); }
INLINE vec vec_narrow16(vec a, vec b) { return _mm_packus_epi16(a, b); }
INLINE vec vec_add_dot(vec sum, vec a, vec b)
{
    sum = vec_add(sum, vec_dot(a, b));
    KEEP(sum);
    return sum;
}
/* clang-format on */

#include "kernels_simd.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
