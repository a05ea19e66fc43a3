/* Upsampling and conversion for AVX2. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#include <immintrin.h>

#include "color.h"

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 16 }; /* samples in a vector */

typedef __m256i vec;

INLINE vec load(const uint8_t *p)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)p));
}

INLINE vec add(vec a, vec b)
{
    return _mm256_add_epi16(a, b);
}

INLINE vec tripled(vec v)
{
    return add(add(v, v), v);
}

/* Bytes of even and odd samples, alternating. */
INLINE void store_alternating(uint8_t *out, vec even, vec odd)
{
    _mm256_storeu_si256((vec *)out, _mm256_or_si256(even, _mm256_slli_epi16(odd, 8)));
}

INLINE vec between(const uint8_t *near, const uint8_t *far)
{
    return add(tripled(load(near)), load(far));
}

/* Sixteen samples, with one beside them on both sides. */
INLINE void wide_block(const uint8_t *near, uint8_t *out)
{
    const vec here = tripled(load(near)), one = _mm256_set1_epi16(1), two = _mm256_set1_epi16(2);
    store_alternating(out, _mm256_srli_epi16(add(add(here, one), load(near - 1)), 2),
                      _mm256_srli_epi16(add(add(here, two), load(near + 1)), 2));
}

INLINE void both_block(const uint8_t *near, const uint8_t *far, uint8_t *out)
{
    const vec here = tripled(between(near, far)), eight = _mm256_set1_epi16(8), seven = _mm256_set1_epi16(7);
    store_alternating(out, _mm256_srli_epi16(add(add(here, eight), between(near - 1, far - 1)), 4),
                      _mm256_srli_epi16(add(add(here, seven), between(near + 1, far + 1)), 4));
}

static void wide(const uint8_t *near, const uint8_t *far, int below, size_t n, uint8_t *out)
{
    size_t i = 1;
    (void)far, (void)below;
    for (; i + LANES < n; i += LANES)
        wide_block(near + i, out + 2 * i);
    spool_baseline_wide_part(near, 0, 1, n, out);
    spool_baseline_wide_part(near, i, n, n, out);
}

static void both(const uint8_t *near, const uint8_t *far, int below, size_t n, uint8_t *out)
{
    size_t i = 1;
    (void)below;
    for (; i + LANES < n; i += LANES)
        both_block(near + i, far + i, out + 2 * i);
    spool_baseline_both_part(near, far, 0, 1, n, out);
    spool_baseline_both_part(near, far, i, n, n, out);
}

/* Eight pixels of each half: 48 bytes. */
INLINE void store_rgb(uint8_t *rgb, vec r, vec g, vec b)
{
    const vec rg = _mm256_packus_epi16(r, g), bb = _mm256_packus_epi16(b, b);
#define BOTH(...) _mm256_broadcastsi128_si256(_mm_setr_epi8(__VA_ARGS__))
    const vec first =
        _mm256_or_si256(_mm256_shuffle_epi8(rg, BOTH(0, 8, -1, 1, 9, -1, 2, 10, -1, 3, 11, -1, 4, 12, -1, 5)),
                        _mm256_shuffle_epi8(bb, BOTH(-1, -1, 0, -1, -1, 1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1)));
    const vec rest =
        _mm256_or_si256(_mm256_shuffle_epi8(rg, BOTH(13, -1, 6, 14, -1, 7, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1)),
                        _mm256_shuffle_epi8(bb, BOTH(-1, 5, -1, -1, 6, -1, -1, 7, -1, -1, -1, -1, -1, -1, -1, -1)));
#undef BOTH
    _mm_storeu_si128((__m128i *)rgb, _mm256_castsi256_si128(first));
    _mm_storel_epi64((__m128i *)(rgb + 16), _mm256_castsi256_si128(rest));
    _mm_storeu_si128((__m128i *)(rgb + 24), _mm256_extracti128_si256(first, 1));
    _mm_storel_epi64((__m128i *)(rgb + 40), _mm256_extracti128_si256(rest, 1));
}

/*
 * 1.402 is 1 + 13173 / 2^15, 1.772 is 2 - 7471 / 2^15, and -0.714 is -1 + 18734 / 2^16: what is left fits words. That
 * rounding is that of the scalar kernel is tested for all values.
 */
INLINE void convert_block(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, uint8_t *rgb)
{
    const vec middle = _mm256_set1_epi16(128), half = _mm256_set1_epi32(1 << 15);
    const vec factors = _mm256_set1_epi32((int)((uint32_t)(uint16_t)-22554 | 18734u << 16));
    const vec luma = load(y), b = _mm256_sub_epi16(load(cb), middle), r = _mm256_sub_epi16(load(cr), middle);
    const vec red = add(add(luma, r), _mm256_mulhrs_epi16(r, _mm256_set1_epi16(13173)));
    const vec blue = add(add(luma, add(b, b)), _mm256_mulhrs_epi16(b, _mm256_set1_epi16(-7471)));
    const vec low = _mm256_madd_epi16(_mm256_unpacklo_epi16(b, r), factors);
    const vec high = _mm256_madd_epi16(_mm256_unpackhi_epi16(b, r), factors);
    const vec rest = _mm256_packs_epi32(_mm256_srai_epi32(_mm256_add_epi32(low, half), 16),
                                        _mm256_srai_epi32(_mm256_add_epi32(high, half), 16));
    store_rgb(rgb, red, add(_mm256_sub_epi16(luma, r), rest), blue);
}

static void convert(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, size_t n, uint8_t *rgb)
{
    size_t i = 0;
    if (n < LANES) {
        spool_baseline_color_scalar.convert(y, cb, cr, n, rgb);
        return;
    }
    for (; i + LANES <= n; i += LANES)
        convert_block(y + i, cb + i, cr + i, rgb + 3 * i);
    if (i < n) { /* the last block overlaps the one before */
        i = n - LANES;
        convert_block(y + i, cb + i, cr + i, rgb + 3 * i);
    }
}

static void tall(const uint8_t *near, const uint8_t *far, int below, size_t n, uint8_t *out)
{
    spool_baseline_color_scalar.tall(near, far, below, n, out);
}

static void plain(const uint8_t *near, const uint8_t *far, int below, size_t n, uint8_t *out)
{
    spool_baseline_color_scalar.plain(near, far, below, n, out);
}

const spool_baseline_color spool_baseline_color_avx2 = {wide, tall, both, plain, convert};

#if defined(__clang__)
#pragma clang attribute pop
#endif
