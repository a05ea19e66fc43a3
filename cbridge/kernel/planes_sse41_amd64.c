/* The kernels of the planes sink for SSE4.1. */
#include "target_sse41.h"

#include <stdint.h>

#define WORDS 8
#define PLANES_KERNELS spool_planes_sse41
#define PLANES_NAME "sse4.1"

typedef uint16_t words __attribute__((vector_size(2 * WORDS)));
typedef int16_t signed_words __attribute__((vector_size(2 * WORDS)));

INLINE words load_bytes(const uint8_t *p)
{
    return (words)_mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)p));
}

INLINE words scaled(words v, int coefficient)
{
    return (words)_mm_mulhi_epu16((__m128i)(v << 8), _mm_set1_epi16((short)coefficient));
}

INLINE words subtract_saturated(words v, int amount)
{
    return (words)_mm_subs_epu16((__m128i)v, _mm_set1_epi16((short)amount));
}

INLINE signed_words high_product(signed_words v, int factor)
{
    return (signed_words)_mm_mulhi_epi16((__m128i)v, _mm_set1_epi16((short)factor));
}

INLINE signed_words rounded_product(signed_words v, int factor)
{
    return (signed_words)_mm_mulhrs_epi16((__m128i)v, _mm_set1_epi16((short)factor));
}

INLINE signed_words add_saturated(signed_words a, signed_words b)
{
    return (signed_words)_mm_adds_epi16((__m128i)a, (__m128i)b);
}

INLINE void store_rgb(uint8_t *rgb, signed_words r, signed_words g, signed_words b)
{
    const __m128i rg = _mm_packus_epi16((__m128i)r, (__m128i)g);
    const __m128i bb = _mm_packus_epi16((__m128i)b, (__m128i)b);
    const __m128i first =
        _mm_or_si128(_mm_shuffle_epi8(rg, _mm_setr_epi8(0, 8, -1, 1, 9, -1, 2, 10, -1, 3, 11, -1, 4, 12, -1, 5)),
                     _mm_shuffle_epi8(bb, _mm_setr_epi8(-1, -1, 0, -1, -1, 1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1)));
    const __m128i rest =
        _mm_or_si128(_mm_shuffle_epi8(rg, _mm_setr_epi8(13, -1, 6, 14, -1, 7, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1)),
                     _mm_shuffle_epi8(bb, _mm_setr_epi8(-1, 5, -1, -1, 6, -1, -1, 7, -1, -1, -1, -1, -1, -1, -1, -1)));
    _mm_storeu_si128((__m128i *)rgb, first);
    _mm_storel_epi64((__m128i *)(rgb + 16), rest);
}

#include "planes_simd.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
