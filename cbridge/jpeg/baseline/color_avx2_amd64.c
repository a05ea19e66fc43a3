/* Upsampling and color conversion for AVX2. */
#include "target_avx2.h"

#include "color.h"

#define OP(name) _mm256_##name

enum { LANES = 2 };

typedef __m256i vec;

INLINE vec load(const void *p)
{
    return _mm256_loadu_si256(p);
}

INLINE vec repeat(const void *p)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(p));
}

INLINE vec dot(vec s, vec x, vec y)
{
    return _mm256_add_epi32(s, _mm256_madd_epi16(x, y));
}

#include "color_x86.h"
#include "rgb_x86.h"

INLINE void store_rgb(uint8_t *rgb, vec r, vec g, vec b)
{
    for (int k = 0; k < 3; k++) {
        const vec v = interleaved(r, g, b, k);
        _mm_storeu_si128((__m128i *)(rgb + 16 * k), _mm256_castsi256_si128(v));
        _mm_storeu_si128((__m128i *)(rgb + 48 + 16 * k), _mm256_extracti128_si256(v, 1));
    }
}

const spool_baseline_color spool_baseline_color_avx2 = {add, convert_wide, convert};

#if defined(__clang__)
#pragma clang attribute pop
#endif
