/* The kernels of the planes sink for AVX-512 with VBMI, which can permute the bytes of two vectors in any way. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512bw,avx512vbmi"))), apply_to = function)
#else
#pragma GCC target("avx512bw,avx512vbmi")
#endif

#include <immintrin.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))
#define WORDS 32
#define PLANES_KERNELS spool_planes_avx512
#define PLANES_NAME "avx512"

typedef uint16_t words __attribute__((vector_size(2 * WORDS)));
typedef int16_t signed_words __attribute__((vector_size(2 * WORDS)));

INLINE words load_bytes(const uint8_t *p)
{
    return (words)_mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)p));
}

INLINE words scaled(words v, int coefficient)
{
    return (words)_mm512_mulhi_epu16((__m512i)(v << 8), _mm512_set1_epi16((short)coefficient));
}

INLINE words subtract_saturated(words v, int amount)
{
    return (words)_mm512_subs_epu16((__m512i)v, _mm512_set1_epi16((short)amount));
}

INLINE signed_words high_product(signed_words v, int factor)
{
    return (signed_words)_mm512_mulhi_epi16((__m512i)v, _mm512_set1_epi16((short)factor));
}

INLINE signed_words rounded_product(signed_words v, int factor)
{
    return (signed_words)_mm512_mulhrs_epi16((__m512i)v, _mm512_set1_epi16((short)factor));
}

INLINE signed_words add_saturated(signed_words a, signed_words b)
{
    return (signed_words)_mm512_adds_epi16((__m512i)a, (__m512i)b);
}

/* Byte i of the pixels is r[i / 3], g[i / 3] or b[i / 3]. Indices begin at 0 for red, 32 for green, and 64 for blue. */
#define PIXEL(i) (i), 32 + (i), 64 + (i)
static const uint8_t first_order[64] = {
    PIXEL(0),  PIXEL(1),  PIXEL(2),  PIXEL(3),  PIXEL(4),  PIXEL(5),  PIXEL(6),  PIXEL(7),
    PIXEL(8),  PIXEL(9),  PIXEL(10), PIXEL(11), PIXEL(12), PIXEL(13), PIXEL(14), PIXEL(15),
    PIXEL(16), PIXEL(17), PIXEL(18), PIXEL(19), PIXEL(20), 21,
};
static const uint8_t rest_order[64] = {
    32 + 21,   64 + 21,   PIXEL(22), PIXEL(23), PIXEL(24), PIXEL(25),
    PIXEL(26), PIXEL(27), PIXEL(28), PIXEL(29), PIXEL(30), PIXEL(31),
};
#undef PIXEL

INLINE __m256i narrow(signed_words v)
{
    return _mm512_cvtusepi16_epi8(_mm512_max_epi16((__m512i)v, _mm512_setzero_si512()));
}

INLINE void store_rgb(uint8_t *rgb, signed_words r, signed_words g, signed_words b)
{
    const __m512i red_green = _mm512_inserti64x4(_mm512_castsi256_si512(narrow(r)), narrow(g), 1);
    const __m512i blue = _mm512_castsi256_si512(narrow(b));
    const __m512i first = _mm512_permutex2var_epi8(red_green, _mm512_loadu_si512(first_order), blue);
    const __m512i rest = _mm512_permutex2var_epi8(red_green, _mm512_loadu_si512(rest_order), blue);
    _mm512_storeu_si512(rgb, first);
    _mm256_storeu_si256((__m256i *)(rgb + 64), _mm512_castsi512_si256(rest));
}

#include "planes_simd.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
