/* The filters for SSE4.1. */
#include "target_sse41.h"

#include <string.h>

#include "filter.h"

typedef __m128i vec;

/* A table of one-line functions in the order of filter_simd.h. */
/* clang-format off */
INLINE vec vec_zero(void) { return _mm_setzero_si128(); }
INLINE vec vec_and(vec a, vec b) { return _mm_and_si128(a, b); }
INLINE vec vec_add(vec a, vec b) { return _mm_add_epi8(a, b); }
INLINE vec vec_adds(vec a, vec b) { return _mm_adds_epu8(a, b); }
INLINE vec vec_subs(vec a, vec b) { return _mm_subs_epu8(a, b); }
INLINE vec vec_min(vec a, vec b) { return _mm_min_epu8(a, b); }
INLINE vec vec_max(vec a, vec b) { return _mm_max_epu8(a, b); }
INLINE vec vec_not_above(vec a, vec b) { return _mm_cmpeq_epi8(_mm_max_epu8(a, b), b); }
INLINE vec vec_average(vec a, vec b) /* pavgb rounds up */
{
    return _mm_sub_epi8(_mm_avg_epu8(a, b), _mm_and_si128(_mm_xor_si128(a, b), _mm_set1_epi8(1)));
}
INLINE vec vec_select(vec mask, vec a, vec b) { return _mm_blendv_epi8(b, a, mask); }
INLINE int32_t word(const uint8_t *p)
{
    int32_t w;
    memcpy(&w, p, 4);
    return w;
}
INLINE vec vec_behind4(vec v, const uint8_t *p)
{
    return _mm_alignr_epi8(v, _mm_slli_si128(_mm_cvtsi32_si128(word(p)), 12), 12);
}
INLINE vec vec_behind8(vec v, const uint8_t *p)
{
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)p), v);
}
INLINE vec vec_gather4(uint8_t *const *p, size_t at)
{
    vec v = _mm_cvtsi32_si128(word(p[0] + at));
    v = _mm_insert_epi32(v, word(p[1] + at), 1);
    v = _mm_insert_epi32(v, word(p[2] + at), 2);
    return _mm_insert_epi32(v, word(p[3] + at), 3);
}
INLINE vec vec_gather8(uint8_t *const *p, size_t at)
{
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(p[0] + at)),
                              _mm_loadl_epi64((const __m128i *)(p[1] + at)));
}
INLINE void vec_scatter4(uint8_t *const *p, size_t at, vec v)
{
    const int32_t words[] = {_mm_cvtsi128_si32(v), _mm_extract_epi32(v, 1), _mm_extract_epi32(v, 2),
                             _mm_extract_epi32(v, 3)};
    for (int k = 0; k < 4; k++)
        memcpy(p[k] + at, &words[k], 4);
}
INLINE void vec_scatter8(uint8_t *const *p, size_t at, vec v)
{
    _mm_storel_epi64((__m128i *)(p[0] + at), v);
    _mm_storel_epi64((__m128i *)(p[1] + at), _mm_unpackhi_epi64(v, v));
}
/* clang-format on */

#include "filter_simd.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
