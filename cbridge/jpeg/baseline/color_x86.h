/*
 * Upsampling and color conversion in vectors of x86. The including file must define before:
 *
 *   vec, OP(name)   the vector and its instructions
 *   LANES           lanes of 16 bytes in a vector
 *   dot(s, x, y)    s + x[0] * y[0] + x[1] * y[1], of words to sums of 32 bits
 *   load(p)         a vector, from any address
 *   repeat(p)       16 bytes in each lane
 *
 * and afterwards store_rgb and the table of functions.
 */
enum { PIXELS = 16 * LANES };

/*
 * Stores PIXELS pixels. In the 16 bytes of a color in a lane, the low half has the even pixels, and the high half the
 * odd ones.
 */
INLINE void store_rgb(uint8_t *rgb, vec r, vec g, vec b);

/* Words of red, green and blue. */
typedef struct {
    vec r, g, b;
} colors;

/*
 * Converts luma, and chroma reduced by 128. 1.402 is 1 + 13173 / 2^15, 1.772 is 2 - 7471 / 2^15, and -0.714 is -1 +
 * 18734 / 2^16, so the fractions fit in words. A test compares the rounding with the scalar kernel for all values.
 */
INLINE colors converted(vec y, vec b, vec r)
{
    const vec half = OP(set1_epi32)(1 << 15),
              factors = OP(set1_epi32)((int)((uint32_t)(uint16_t)-22554 | 18734u << 16));
    const vec low = OP(srai_epi32)(dot(half, OP(unpacklo_epi16)(b, r), factors), 16);
    const vec high = OP(srai_epi32)(dot(half, OP(unpackhi_epi16)(b, r), factors), 16);
    return (colors){
        .r = OP(add_epi16)(OP(add_epi16)(y, r), OP(mulhrs_epi16)(r, OP(set1_epi16)(13173))),
        .g = OP(add_epi16)(OP(sub_epi16)(y, r), OP(packs_epi32)(low, high)),
        .b = OP(add_epi16)(OP(add_epi16)(y, OP(add_epi16)(b, b)), OP(mulhrs_epi16)(b, OP(set1_epi16)(-7471))),
    };
}

INLINE void store(uint8_t *rgb, colors even, colors odd)
{
    store_rgb(rgb, OP(packus_epi16)(even.r, odd.r), OP(packus_epi16)(even.g, odd.g), OP(packus_epi16)(even.b, odd.b));
}

INLINE vec evens(vec bytes)
{
    return OP(srli_epi16)(OP(slli_epi16)(bytes, 8), 8);
}

INLINE vec odds(vec bytes)
{
    return OP(srli_epi16)(bytes, 8);
}

/* Interpolates chroma between these sums and their neighbors. */
INLINE vec between(const int16_t *sums, int beside, vec rounding)
{
    const vec here = load(sums), thrice = OP(add_epi16)(here, OP(add_epi16)(here, here));
    return OP(srai_epi16)(OP(add_epi16)(OP(add_epi16)(thrice, rounding), load(sums + beside)), 4);
}

INLINE void convert_wide_block(const uint8_t *y, const int16_t *cb, const int16_t *cr, spool_baseline_rounding rounding,
                               uint8_t *rgb)
{
    const vec luma = load(y), even = OP(set1_epi16)(rounding.even), odd = OP(set1_epi16)(rounding.odd);
    store(rgb, converted(evens(luma), between(cb, -1, even), between(cr, -1, even)),
          converted(odds(luma), between(cb, 1, odd), between(cr, 1, odd)));
}

INLINE void convert_block(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, uint8_t *rgb)
{
    const vec middle = OP(set1_epi16)(128), luma = load(y), b = load(cb), r = load(cr);
    store(rgb, converted(evens(luma), OP(sub_epi16)(evens(b), middle), OP(sub_epi16)(evens(r), middle)),
          converted(odds(luma), OP(sub_epi16)(odds(b), middle), OP(sub_epi16)(odds(r), middle)));
}

#include "color_blocks.h"
