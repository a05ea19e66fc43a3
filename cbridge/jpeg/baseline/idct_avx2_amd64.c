/* The inverse DCT for AVX2: two blocks at a time, one in each half of the vectors. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#include <immintrin.h>

#include "idct.h"

#define INLINE static inline __attribute__((always_inline))

enum { SIDE = 8 };

typedef __m256i vec;

/* Sums of 32 bits, of the low and the high words of a vector. */
typedef struct {
    vec low, high;
} wide;

/* a * x + b * y */
INLINE wide products(vec x, vec y, int a, int b)
{
    const vec factors = _mm256_set1_epi32((int)((uint32_t)(uint16_t)a | (uint32_t)b << 16));
    return (wide){_mm256_madd_epi16(_mm256_unpacklo_epi16(x, y), factors),
                  _mm256_madd_epi16(_mm256_unpackhi_epi16(x, y), factors)};
}

INLINE wide sum(wide a, wide b)
{
    return (wide){_mm256_add_epi32(a.low, b.low), _mm256_add_epi32(a.high, b.high)};
}

INLINE wide difference(wide a, wide b)
{
    return (wide){_mm256_sub_epi32(a.low, b.low), _mm256_sub_epi32(a.high, b.high)};
}

/* x * 2^13, and half of what it will be divided by, which rounds. */
INLINE wide raised(vec x, int shift)
{
    const vec zero = _mm256_setzero_si256(), half = _mm256_set1_epi32(1 << (shift - 1));
    return (wide){_mm256_add_epi32(_mm256_srai_epi32(_mm256_unpacklo_epi16(zero, x), 16 - IDCT_BITS), half),
                  _mm256_add_epi32(_mm256_srai_epi32(_mm256_unpackhi_epi16(zero, x), 16 - IDCT_BITS), half)};
}

INLINE vec scaled(wide w, int shift)
{
    return _mm256_packs_epi32(_mm256_srai_epi32(w.low, shift), _mm256_srai_epi32(w.high, shift));
}

/* One pass down the columns, to be shifted at its end. With upper, v[4] to v[7] are zero. */
INLINE void transform(vec v[SIDE], const int shift, const int upper)
{
    const vec zero = _mm256_setzero_si256(), v4 = upper ? zero : v[4], v5 = upper ? zero : v[5],
              v6 = upper ? zero : v[6], v7 = upper ? zero : v[7];
    const wide t2 = products(v[2], v6, C_0_541, C_0_541 - C_1_847), t3 = products(v[2], v6, C_0_541 + C_0_765, C_0_541);
    const wide t0 = raised(_mm256_add_epi16(v[0], v4), shift), t1 = raised(_mm256_sub_epi16(v[0], v4), shift);
    const wide even[4] = {sum(t0, t3), sum(t1, t2), difference(t1, t2), difference(t0, t3)};

    const vec a = _mm256_add_epi16(v7, v[3]), b = _mm256_add_epi16(v5, v[1]);
    const wide z3 = products(a, b, C_1_175 - C_1_961, C_1_175), z4 = products(a, b, C_1_175, C_1_175 - C_0_390);
    const wide odd[4] = {
        sum(products(v7, v[1], -C_0_899, C_1_501 - C_0_899), z4),
        sum(products(v5, v[3], -C_2_562, C_3_072 - C_2_562), z3),
        sum(products(v5, v[3], C_2_053 - C_2_562, -C_2_562), z4),
        sum(products(v7, v[1], C_0_298 - C_0_899, -C_0_899), z3),
    };
    for (int i = 0; i < 4; i++) {
        v[i] = scaled(sum(even[i], odd[i]), shift);
        v[SIDE - 1 - i] = scaled(difference(even[i], odd[i]), shift);
    }
}

/* Both blocks turned over. */
INLINE void transpose(vec v[SIDE])
{
    vec a[SIDE], b[SIDE];
    for (int i = 0; i < 4; i++) {
        a[2 * i] = _mm256_unpacklo_epi16(v[2 * i], v[2 * i + 1]);
        a[2 * i + 1] = _mm256_unpackhi_epi16(v[2 * i], v[2 * i + 1]);
    }
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            b[4 * i + 2 * k] = _mm256_unpacklo_epi32(a[4 * i + k], a[4 * i + 2 + k]);
            b[4 * i + 2 * k + 1] = _mm256_unpackhi_epi32(a[4 * i + k], a[4 * i + 2 + k]);
        }
    for (int i = 0; i < 4; i++) {
        v[2 * i] = _mm256_unpacklo_epi64(b[i], b[4 + i]);
        v[2 * i + 1] = _mm256_unpackhi_epi64(b[i], b[4 + i]);
    }
}

/* Rows i and i + 1 of the left block, and of the right one where there is one. */
INLINE void store_rows(uint8_t *row, ptrdiff_t stride, vec samples, const int both)
{
    if (both) {
        const vec rows = _mm256_permute4x64_epi64(samples, _MM_SHUFFLE(3, 1, 2, 0));
        _mm_storeu_si128((__m128i *)row, _mm256_castsi256_si128(rows));
        _mm_storeu_si128((__m128i *)(row + stride), _mm256_extracti128_si256(rows, 1));
    } else {
        const __m128i rows = _mm256_castsi256_si128(samples);
        _mm_storel_epi64((__m128i *)row, rows);
        _mm_storel_epi64((__m128i *)(row + stride), _mm_unpackhi_epi64(rows, rows));
    }
}

/* Words that are all 0 where none is beyond the range. */
INLINE vec beyond(const vec v[SIDE])
{
    vec most = _mm256_abs_epi16(v[0]);
    for (int i = 1; i < SIDE; i++)
        most = _mm256_max_epu16(most, _mm256_abs_epi16(v[i])); /* -2^15 is its own, and large without a sign */
    return _mm256_subs_epu16(most, _mm256_set1_epi16(IDCT_RANGE));
}

INLINE vec dequantised(vec v, const uint16_t *quant)
{
    return _mm256_mullo_epi16(v, _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)quant)));
}

/* Blocks of a first coefficient alone: one sample each, in 64 places. */
INLINE vec store_flat(vec dc, uint8_t *out, ptrdiff_t stride, const int both)
{
    const vec bias = _mm256_set1_epi16(4), first = _mm256_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0,
                                                                    1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1);
    const vec value = _mm256_shuffle_epi8(dc, first);
    const vec wide_samples = _mm256_srai_epi16(_mm256_add_epi16(value, bias), 3);
    const vec samples = _mm256_xor_si256(_mm256_packs_epi16(wide_samples, wide_samples), _mm256_set1_epi8((char)128));
    for (int i = 0; i < SIDE; i += 2)
        store_rows(out + i * stride, stride, samples, both);
    return _mm256_subs_epu16(_mm256_abs_epi16(value), _mm256_set1_epi16(IDCT_RANGE >> IDCT_EXTRA));
}

/*
 * Both passes. With upper, coefficients v[4] to v[7] are zero, with left, so are those of columns 4 to 7: most blocks
 * of large pictures are so.
 */
INLINE vec transform_both(vec v[SIDE], const int upper, const int left, uint8_t *out, ptrdiff_t stride, const int both)
{
    transform(v, IDCT_BITS - IDCT_EXTRA, upper);
    const vec out_of_range = beyond(v);
    transpose(v);
    transform(v, IDCT_BITS + IDCT_EXTRA + 3, left);
    transpose(v);
    for (int i = 0; i < SIDE; i += 2) {
        const vec samples = _mm256_xor_si256(_mm256_packs_epi16(v[i], v[i + 1]), _mm256_set1_epi8((char)128));
        store_rows(out + i * stride, stride, samples, both);
    }
    return out_of_range;
}

/* The blocks at a and b, next to each other; without both, b is a and not stored. */
INLINE vec transform_pair(const int16_t *a, const int16_t *b, const uint16_t *quant, uint8_t *out, ptrdiff_t stride,
                          const int both)
{
    const vec ac = _mm256_setr_epi16(0, -1, -1, -1, -1, -1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1);
    const vec right = _mm256_setr_epi16(0, 0, 0, 0, -1, -1, -1, -1, 0, 0, 0, 0, -1, -1, -1, -1);
    vec v[SIDE];
    for (int i = 0; i < SIDE; i++)
        v[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_load_si128((const __m128i *)(a + SIDE * i))),
                                       _mm_load_si128((const __m128i *)(b + SIDE * i)), 1);
    const vec lower = _mm256_or_si256(_mm256_or_si256(v[4], v[5]), _mm256_or_si256(v[6], v[7]));
    const vec rest = _mm256_or_si256(_mm256_or_si256(v[1], v[2]), v[3]);

    for (int i = 0; i < 4; i++)
        v[i] = dequantised(v[i], quant + SIDE * i);
    if (_mm256_testz_si256(lower, lower)) {
        const vec row = _mm256_or_si256(v[0], rest);
        if (_mm256_testz_si256(row, right)) {
            if (_mm256_testz_si256(row, ac) && _mm256_testz_si256(rest, rest))
                return store_flat(v[0], out, stride, both);
            return transform_both(v, 1, 1, out, stride, both);
        }
        return transform_both(v, 1, 0, out, stride, both);
    }
    for (int i = 4; i < SIDE; i++)
        v[i] = dequantised(v[i], quant + SIDE * i);
    return transform_both(v, 0, 0, out, stride, both);
}

int spool_baseline_idct_avx2(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride)
{
    vec out_of_range = _mm256_setzero_si256();
    size_t i = 0;
    for (; i + 2 <= n; i += 2)
        out_of_range = _mm256_or_si256(
            out_of_range, transform_pair(blocks + 64 * i, blocks + 64 * (i + 1), quant, out + SIDE * i, stride, 1));
    if (i < n)
        out_of_range = _mm256_or_si256(
            out_of_range, transform_pair(blocks + 64 * i, blocks + 64 * i, quant, out + SIDE * i, stride, 0));
    return !_mm256_testz_si256(out_of_range, out_of_range);
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
