/* Upsampling and color conversion for SSE4.1. */
#include "target_sse41.h"

#include "color.h"

#define OP(name) _mm_##name

enum { LANES = 1 };

typedef __m128i vec;

INLINE vec load(const void *p)
{
    return _mm_loadu_si128(p);
}

#define repeat load

INLINE vec dot(vec s, vec x, vec y)
{
    return _mm_add_epi32(s, _mm_madd_epi16(x, y));
}

#include "color_x86.h"
#include "rgb_x86.h"

INLINE void store_rgb(uint8_t *rgb, vec r, vec g, vec b)
{
    for (int k = 0; k < 3; k++)
        _mm_storeu_si128((vec *)(rgb + 16 * k), interleaved(r, g, b, k));
}

const spool_baseline_color spool_baseline_color_sse41 = {add, convert_wide, convert};

#if defined(__clang__)
#pragma clang attribute pop
#endif
