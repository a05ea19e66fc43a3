/* The inverse DCT for SSE4.1: a block at a time. */
#include "target_sse41.h"

#include "idct.h"

#define OP(name) _mm_##name

typedef __m128i vec;

INLINE vec dot(vec s, vec x, vec y)
{
    return _mm_add_epi32(s, _mm_madd_epi16(x, y));
}

INLINE vec repeat(const void *p)
{
    return _mm_loadu_si128(p);
}

INLINE void store_rows(uint8_t *row, ptrdiff_t stride, vec v)
{
    _mm_storel_epi64((vec *)row, v);
    _mm_storel_epi64((vec *)(row + stride), _mm_unpackhi_epi64(v, v));
}

#include "idct_x86.h"

INLINE vec load_row(const int16_t *block, const uint16_t *quant, int y)
{
    return _mm_mullo_epi16(_mm_load_si128((const vec *)(block + 8 * y)), _mm_load_si128((const vec *)(quant + 8 * y)));
}

INLINE void load_pairs(const int16_t *block, const uint16_t *quant, wide pairs[4])
{
    for (int y = 0; y < 4; y++)
        pairs[y] = paired(load_row(block, quant, y), load_row(block, quant, y + 4));
}

int spool_baseline_idct_sse41(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride)
{
    vec out_of_range = _mm_setzero_si128();
    for (size_t i = 0; i < n; i++)
        out_of_range = _mm_or_si128(out_of_range, transform_blocks(blocks + 64 * i, quant, out + 8 * i, stride));
    return !_mm_testz_si128(out_of_range, out_of_range);
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
