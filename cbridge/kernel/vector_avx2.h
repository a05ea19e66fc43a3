/* Vectors of 32 bytes: two lanes. */
#include <immintrin.h>

#include "vector.h"

typedef __m256i vec;

#define KEEP(v) __asm__("" : "+x"(v))
#define VEC_LANES 2

/* A table of one-line functions in the order of vector.h. */
/* clang-format off */
INLINE vec vec_zero(void) { return _mm256_setzero_si256(); }
INLINE vec vec_load(const uint8_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
INLINE void vec_store(uint8_t *p, vec v) { _mm256_storeu_si256((__m256i *)p, v); }
INLINE vec vec_load_lanes(const uint8_t *const *lane, size_t at)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(lane[0] + at))),
                                   _mm_loadu_si128((const __m128i *)(lane[1] + at)), 1);
}
INLINE void vec_store_lanes(uint8_t *const *lane, size_t at, vec v)
{
    _mm_storeu_si128((__m128i *)(lane[0] + at), _mm256_castsi256_si128(v));
    _mm_storeu_si128((__m128i *)(lane[1] + at), _mm256_extracti128_si256(v, 1));
}
INLINE vec vec_load_bytes(const uint8_t *const *lane, size_t at)
{
    __m128i both = _mm_loadl_epi64((const __m128i *)(lane[0] + at));
    both = _mm_unpacklo_epi64(both, _mm_loadl_epi64((const __m128i *)(lane[1] + at)));
    return _mm256_cvtepu8_epi16(both);
}
INLINE void vec_store_word(uint8_t *const *lane, size_t at, vec v)
{
    int32_t first = _mm256_extract_epi32(v, 0), second = _mm256_extract_epi32(v, 4);
    memcpy(lane[0] + at, &first, 4);
    memcpy(lane[1] + at, &second, 4);
}
INLINE vec vec_repeat_lane(const void *p) { return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)p)); }
INLINE vec vec_repeat_word(const void *p)
{
    int32_t word;
    memcpy(&word, p, 4);
    return _mm256_set1_epi32(word);
}
INLINE vec vec_shuffle(vec bytes, vec index) { return _mm256_shuffle_epi8(bytes, index); }
INLINE vec vec_xor(vec a, vec b) { return _mm256_xor_si256(a, b); }
INLINE vec vec_add(vec a, vec b) { return _mm256_add_epi32(a, b); }
INLINE vec vec_shift(vec v, int n) { return _mm256_sra_epi32(v, _mm_cvtsi32_si128(n)); }
INLINE vec vec_shift_left(vec v, int n) { return _mm256_sll_epi32(v, _mm_cvtsi32_si128(n)); }
INLINE vec vec_dot(vec a, vec b) { return _mm256_madd_epi16(a, b); }
INLINE vec vec_sum_neighbours(vec a, vec b) { return _mm256_hadd_epi32(a, b); }
INLINE vec vec_zip_low(vec a, vec b) { return _mm256_unpacklo_epi8(a, b); }
INLINE vec vec_zip_high(vec a, vec b) { return _mm256_unpackhi_epi8(a, b); }
INLINE vec vec_zip_words_low(vec a, vec b) { return _mm256_unpacklo_epi16(a, b); }
INLINE vec vec_zip_words_high(vec a, vec b) { return _mm256_unpackhi_epi16(a, b); }
INLINE vec vec_narrow32(vec a, vec b) { return _mm256_packs_epi32(a, b); }
INLINE vec vec_narrow16(vec a, vec b) { return _mm256_packus_epi16(a, b); }
/* clang-format on */
