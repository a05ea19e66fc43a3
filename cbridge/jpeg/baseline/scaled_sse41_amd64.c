/* Scaled transforms for SSE4.1: a block at a time. */
#include "target_sse41.h"

#include <string.h>

#include "scaled.h"

#define OP(name) _mm_##name

typedef __m128i vec;

INLINE vec repeat(const void *p)
{
    return _mm_loadu_si128(p);
}

INLINE vec load_row(const int16_t *block, const uint16_t *quant, int y)
{
    return _mm_mullo_epi16(_mm_load_si128((const vec *)(block + 8 * y)), _mm_load_si128((const vec *)(quant + 8 * y)));
}

#include "scaled_x86.h"

int spool_baseline_scaled4_sse41(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t row[4];
        _mm_storeu_si128((vec *)row, transform4(blocks + 64 * i, quant));
        for (int y = 0; y < 4; y++)
            memcpy(out + 4 * i + y * stride, &row[y], 4);
    }
    return 0;
}

int spool_baseline_scaled2_sse41(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride)
{
    for (size_t i = 0; i < n; i++) {
        const int rows = _mm_cvtsi128_si32(transform2(blocks + 64 * i, quant));
        memcpy(out + 2 * i, &rows, 2);
        memcpy(out + 2 * i + stride, (const uint8_t *)&rows + 2, 2);
    }
    return 0;
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
