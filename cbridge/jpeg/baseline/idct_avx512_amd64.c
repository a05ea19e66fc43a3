/* The inverse DCT for AVX-512 with its 16-bit dot products: four blocks at a time. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512bw,avx512vl,avx512vnni"))), apply_to = function)
#else
#pragma GCC target("avx512bw,avx512vl,avx512vnni")
#endif

#include <immintrin.h>

#include "idct.h"

#define INLINE static inline __attribute__((always_inline))
#define OP(name) _mm512_##name
#define dot _mm512_dpwssd_epi32

enum { LANES = 4 };

typedef __m512i vec;

INLINE vec repeat(const void *p)
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128(p));
}

INLINE void store_rows(uint8_t *row, ptrdiff_t stride, vec v)
{
    const vec rows = _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), v);
    _mm256_storeu_si256((__m256i *)row, _mm512_castsi512_si256(rows));
    _mm256_storeu_si256((__m256i *)(row + stride), _mm512_extracti64x4_epi64(rows, 1));
}

#include "idct_x86.h"

/* Moves lane i of v[k] to lane k of v[i]. */
INLINE void transpose_lanes(vec v[4])
{
    const vec a = _mm512_shuffle_i32x4(v[0], v[1], 0x44), b = _mm512_shuffle_i32x4(v[2], v[3], 0x44);
    const vec c = _mm512_shuffle_i32x4(v[0], v[1], 0xEE), d = _mm512_shuffle_i32x4(v[2], v[3], 0xEE);
    v[0] = _mm512_shuffle_i32x4(a, b, 0x88);
    v[1] = _mm512_shuffle_i32x4(a, b, 0xDD);
    v[2] = _mm512_shuffle_i32x4(c, d, 0x88);
    v[3] = _mm512_shuffle_i32x4(c, d, 0xDD);
}

INLINE void load_pairs(const int16_t *blocks, const uint16_t *quant, wide pairs[4])
{
    const vec quant0 = _mm512_loadu_si512(quant), quant4 = _mm512_loadu_si512(quant + 32);
    vec low[LANES], high[LANES];
    for (int i = 0; i < LANES; i++) {
        const vec rows0 = _mm512_mullo_epi16(_mm512_loadu_si512(blocks + 64 * i), quant0);
        const vec rows4 = _mm512_mullo_epi16(_mm512_loadu_si512(blocks + 64 * i + 32), quant4);
        const wide p = paired(rows0, rows4); /* all four pairs, one in each lane */
        low[i] = p.low;
        high[i] = p.high;
    }
    transpose_lanes(low);
    transpose_lanes(high);
    for (int i = 0; i < 4; i++)
        pairs[i] = (wide){low[i], high[i]};
}

int spool_baseline_idct_avx512(const int16_t *blocks, size_t n, const uint16_t *quant, uint8_t *out, ptrdiff_t stride)
{
    vec out_of_range = _mm512_setzero_si512();
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        out_of_range = _mm512_or_si512(out_of_range, transform_blocks(blocks + 64 * i, quant, out + 8 * i, stride));
    const int rest = i < n ? spool_baseline_idct_avx2(blocks + 64 * i, n - i, quant, out + 8 * i, stride) : 0;
    return _mm512_test_epi16_mask(out_of_range, out_of_range) != 0 || rest;
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
