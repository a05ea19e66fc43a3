/*
 * The inverse DCT in vectors of 32 bytes: two blocks at a time. The including file names the function by IDCT, and
 * defines dot afterwards (idct_x86.h).
 */
#include "idct.h"

#define OP(name) _mm256_##name

enum { LANES = 2 };

typedef __m256i vec;

INLINE vec dot(vec s, vec x, vec y);

INLINE vec repeat(const void *p)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(p));
}

INLINE void store_rows(uint8_t *row, ptrdiff_t stride, vec v)
{
    const vec rows = _mm256_permute4x64_epi64(v, _MM_SHUFFLE(3, 1, 2, 0));
    _mm_storeu_si128((__m128i *)row, _mm256_castsi256_si128(rows));
    _mm_storeu_si128((__m128i *)(row + stride), _mm256_extracti128_si256(rows, 1));
}

#include "idct_x86.h"

/* Loads rows y and y + 1. */
INLINE vec load_rows(const int16_t *block, const uint16_t *quant, int y)
{
    return _mm256_mullo_epi16(_mm256_loadu_si256((const vec *)(block + 8 * y)),
                              _mm256_loadu_si256((const vec *)(quant + 8 * y)));
}

INLINE void load_pairs(const int16_t *blocks, const uint16_t *quant, wide pairs[4])
{
    for (int y = 0; y < 4; y += 2) {
        const wide a = paired(load_rows(blocks, quant, y), load_rows(blocks, quant, y + 4));
        const wide b = paired(load_rows(blocks + 64, quant, y), load_rows(blocks + 64, quant, y + 4));
        pairs[y] =
            (wide){_mm256_permute2x128_si256(a.low, b.low, 0x20), _mm256_permute2x128_si256(a.high, b.high, 0x20)};
        pairs[y + 1] =
            (wide){_mm256_permute2x128_si256(a.low, b.low, 0x31), _mm256_permute2x128_si256(a.high, b.high, 0x31)};
    }
}

int IDCT(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride)
{
    vec out_of_range = _mm256_setzero_si256();
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        out_of_range = _mm256_or_si256(out_of_range, transform_blocks(blocks + 64 * i, quant, out + 8 * i, stride));
    const int rest = i < n ? spool_baseline_idct_sse41(blocks + 64 * i, n - i, quant, out + 8 * i, stride) : 0;
    return !_mm256_testz_si256(out_of_range, out_of_range) || rest;
}
