/* The kernels of the planes sink for AVX2. */
#include "target_avx2.h"

#include <stdint.h>

#define WORDS 16
#define PLANES_KERNELS spool_planes_avx2
#define PLANES_NAME "avx2"

typedef uint16_t words __attribute__((vector_size(2 * WORDS)));
typedef int16_t signed_words __attribute__((vector_size(2 * WORDS)));

INLINE words load_bytes(const uint8_t *p)
{
    return (words)_mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)p));
}

INLINE words scaled(words v, int coefficient)
{
    return (words)_mm256_mulhi_epu16((__m256i)(v << 8), _mm256_set1_epi16((short)coefficient));
}

INLINE words subtract_saturated(words v, int amount)
{
    return (words)_mm256_subs_epu16((__m256i)v, _mm256_set1_epi16((short)amount));
}

INLINE signed_words high_product(signed_words v, int factor)
{
    return (signed_words)_mm256_mulhi_epi16((__m256i)v, _mm256_set1_epi16((short)factor));
}

INLINE signed_words rounded_product(signed_words v, int factor)
{
    return (signed_words)_mm256_mulhrs_epi16((__m256i)v, _mm256_set1_epi16((short)factor));
}

INLINE signed_words add_saturated(signed_words a, signed_words b)
{
    return (signed_words)_mm256_adds_epi16((__m256i)a, (__m256i)b);
}

/* Stores eight pixels from each half of the vectors. */
INLINE void store_rgb(uint8_t *rgb, signed_words r, signed_words g, signed_words b)
{
    const __m256i rg = _mm256_packus_epi16((__m256i)r, (__m256i)g);
    const __m256i bb = _mm256_packus_epi16((__m256i)b, (__m256i)b);
#define BOTH(...) _mm256_broadcastsi128_si256(_mm_setr_epi8(__VA_ARGS__))
    const __m256i first =
        _mm256_or_si256(_mm256_shuffle_epi8(rg, BOTH(0, 8, -1, 1, 9, -1, 2, 10, -1, 3, 11, -1, 4, 12, -1, 5)),
                        _mm256_shuffle_epi8(bb, BOTH(-1, -1, 0, -1, -1, 1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1)));
    const __m256i rest =
        _mm256_or_si256(_mm256_shuffle_epi8(rg, BOTH(13, -1, 6, 14, -1, 7, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1)),
                        _mm256_shuffle_epi8(bb, BOTH(-1, 5, -1, -1, 6, -1, -1, 7, -1, -1, -1, -1, -1, -1, -1, -1)));
#undef BOTH
    _mm_storeu_si128((__m128i *)rgb, _mm256_castsi256_si128(first));
    _mm_storel_epi64((__m128i *)(rgb + 16), _mm256_castsi256_si128(rest));
    _mm_storeu_si128((__m128i *)(rgb + 24), _mm256_extracti128_si256(first, 1));
    _mm_storel_epi64((__m128i *)(rgb + 40), _mm256_extracti128_si256(rest, 1));
}

#include "planes_simd.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
