/* Scaled transforms for AVX2: two blocks at a time, one in each half of the vectors. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#include <immintrin.h>
#include <string.h>

#include "scaled.h"

#define INLINE static inline __attribute__((always_inline))

enum { SIDE = 8 };

typedef __m256i vec;

/* Two neighbouring factors of a row of means, for pairs of words. */
INLINE vec factors(const int16_t *means)
{
    int32_t pair;
    memcpy(&pair, means, sizeof pair);
    return _mm256_set1_epi32(pair);
}

INLINE vec shifted(vec sum, const int shift)
{
    return _mm256_srai_epi32(_mm256_add_epi32(sum, _mm256_set1_epi32(1 << (shift - 1))), shift);
}

/* Down the columns, of which the first 2 * pairs coefficients are not all zero. */
INLINE void columns(const vec v[SIDE], const int16_t (*means)[SIDE], const int side, const int pairs, vec rows[])
{
    vec low[SIDE / 2], high[SIDE / 2];
    for (int p = 0; p < pairs; p++) {
        low[p] = _mm256_unpacklo_epi16(v[2 * p], v[2 * p + 1]);
        high[p] = _mm256_unpackhi_epi16(v[2 * p], v[2 * p + 1]);
    }
    for (int y = 0; y < side; y++) {
        vec left = _mm256_setzero_si256(), right = left;
        for (int p = 0; p < pairs; p++) {
            left = _mm256_add_epi32(left, _mm256_madd_epi16(low[p], factors(means[y] + 2 * p)));
            right = _mm256_add_epi32(right, _mm256_madd_epi16(high[p], factors(means[y] + 2 * p)));
        }
        rows[y] = _mm256_packs_epi32(shifted(left, IDCT_BITS - IDCT_EXTRA), shifted(right, IDCT_BITS - IDCT_EXTRA));
    }
}

/* The sums of four rows' products with one row of means each. */
INLINE vec sums(vec a, vec b, vec c, vec d)
{
    return _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
}

INLINE vec repeated(const int16_t *means)
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)means));
}

/* Samples in 32 bits to bytes: those of a first in each half. */
INLINE vec bytes(vec a, vec b)
{
    const int shift = IDCT_BITS + IDCT_EXTRA + 3;
    const vec words =
        _mm256_add_epi16(_mm256_packs_epi32(shifted(a, shift), shifted(b, shift)), _mm256_set1_epi16(128));
    return _mm256_packus_epi16(words, words);
}

/* Stores `side` rows of `side` bytes each from both halves, next to each other; without both, from the first alone. */
INLINE void store(vec samples, const int side, uint8_t *out, ptrdiff_t stride, const int both)
{
    uint8_t block[2][16];
    _mm_storeu_si128((__m128i *)block[0], _mm256_castsi256_si128(samples));
    _mm_storeu_si128((__m128i *)block[1], _mm256_extracti128_si256(samples, 1));
    for (int i = 0; i <= both; i++)
        for (int y = 0; y < side; y++)
            memcpy(out + i * side + y * stride, block[i] + side * y, side);
}

INLINE void finish(const vec rows[], const int side, uint8_t *out, ptrdiff_t stride, const int both)
{
    if (side == 4) {
        vec sum[4], m[4];
        for (int x = 0; x < 4; x++)
            m[x] = repeated(spool_baseline_means4[x]);
        for (int y = 0; y < 4; y++)
            sum[y] = sums(_mm256_madd_epi16(rows[y], m[0]), _mm256_madd_epi16(rows[y], m[1]),
                          _mm256_madd_epi16(rows[y], m[2]), _mm256_madd_epi16(rows[y], m[3]));
        const vec upper = bytes(sum[0], sum[1]), lower = bytes(sum[2], sum[3]);
        store(_mm256_unpacklo_epi64(upper, lower), 4, out, stride, both);
    } else {
        const vec m = repeated(spool_baseline_means2[0]), n = repeated(spool_baseline_means2[1]);
        const vec sum = sums(_mm256_madd_epi16(rows[0], m), _mm256_madd_epi16(rows[0], n),
                             _mm256_madd_epi16(rows[1], m), _mm256_madd_epi16(rows[1], n));
        store(bytes(sum, sum), 2, out, stride, both);
    }
}

INLINE void transform_pair(const int16_t *a, const int16_t *b, const uint16_t *quant, const int16_t (*means)[SIDE],
                           const int side, uint8_t *out, ptrdiff_t stride, const int both)
{
    vec v[SIDE], rows[4];
    for (int i = 0; i < SIDE; i++)
        v[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_load_si128((const __m128i *)(a + SIDE * i))),
                                       _mm_load_si128((const __m128i *)(b + SIDE * i)), 1);
    const vec lower = _mm256_or_si256(_mm256_or_si256(v[4], v[5]), _mm256_or_si256(v[6], v[7]));
    const int upper = _mm256_testz_si256(lower, lower);
    for (int i = 0; i < (upper ? SIDE / 2 : SIDE); i++)
        v[i] =
            _mm256_mullo_epi16(v[i], _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(quant + SIDE * i))));
    if (upper) /* as of most blocks of large pictures */
        columns(v, means, side, SIDE / 4, rows);
    else
        columns(v, means, side, SIDE / 2, rows);
    finish(rows, side, out, stride, both);
}

INLINE int transform(const int16_t *blocks, size_t n, const uint16_t *quant, const int16_t (*means)[SIDE],
                     const int side, uint8_t *out, ptrdiff_t stride)
{
    size_t i = 0;
    for (; i + 2 <= n; i += 2)
        transform_pair(blocks + 64 * i, blocks + 64 * (i + 1), quant, means, side, out + side * i, stride, 1);
    if (i < n)
        transform_pair(blocks + 64 * i, blocks + 64 * i, quant, means, side, out + side * i, stride, 0);
    return 0;
}

int spool_baseline_scaled4_avx2(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride)
{
    return transform(blocks, n, quant, spool_baseline_means4, 4, out, stride);
}

int spool_baseline_scaled2_avx2(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride)
{
    return transform(blocks, n, quant, spool_baseline_means2, 2, out, stride);
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
