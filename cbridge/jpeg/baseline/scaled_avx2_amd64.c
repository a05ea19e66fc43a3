/* Scaled transforms for AVX2: two blocks at a time. */
#include "target_avx2.h"

#include <string.h>

#include "scaled.h"

#define OP(name) _mm256_##name

enum { LANES = 2 };

typedef __m256i vec;

INLINE vec repeat(const void *p)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(p));
}

INLINE vec load_row(const int16_t *blocks, const uint16_t *quant, int y)
{
    const vec row = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_load_si128((const __m128i *)(blocks + 8 * y))),
                                            _mm_load_si128((const __m128i *)(blocks + 64 + 8 * y)), 1);
    return _mm256_mullo_epi16(row, repeat(quant + 8 * y));
}

#include "scaled_x86.h"

int spool_baseline_scaled4_avx2(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        const vec v = transform4(blocks + 64 * i, quant);
        const __m128i a = _mm256_castsi256_si128(v), b = _mm256_extracti128_si256(v, 1);
        uint64_t row[4];
        _mm_storeu_si128((__m128i *)row, _mm_unpacklo_epi32(a, b));
        _mm_storeu_si128((__m128i *)(row + 2), _mm_unpackhi_epi32(a, b));
        for (int y = 0; y < 4; y++)
            memcpy(out + 4 * i + y * stride, &row[y], 8);
    }
    return i < n ? spool_baseline_scaled4_sse41(blocks + 64 * i, n - i, quant, out + 4 * i, stride) : 0;
}

int spool_baseline_scaled2_avx2(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        const vec v = transform2(blocks + 64 * i, quant);
        const __m128i rows = _mm_unpacklo_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
        uint32_t row[4];
        _mm_storeu_si128((__m128i *)row, rows);
        memcpy(out + 2 * i, &row[0], 4);
        memcpy(out + 2 * i + stride, &row[1], 4);
    }
    return i < n ? spool_baseline_scaled2_sse41(blocks + 64 * i, n - i, quant, out + 2 * i, stride) : 0;
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
