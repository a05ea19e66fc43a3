/*
 * The kernels of the planes sink in terms of vectors. The file of each instruction set defines these and includes this
 * source:
 *
 *   WORDS                  how many 16-bit words a vector has
 *   words                  a vector of them, of the vector types of gcc and clang
 *   load_bytes(p)          WORDS bytes as words
 *   scaled(v, k)           v * k >> 8 of bytes in words and a 16-bit coefficient
 *   signed_words           the same, signed
 *   subtract_saturated     v - k, at least 0
 *   high_product(v, k)     v * k >> 16 of signed words
 *   rounded_product(v, k)  (v * k + 2^14) >> 15 of signed words
 *   add_saturated(a, b)    sums of signed words
 *   store_rgb(p, r, g, b)  WORDS pixels, signed words clamped to bytes
 *   PLANES_KERNELS, PLANES_NAME
 */
#include <string.h>

#include "planes_kernels.h"
#include "planes_jpeg.h"
#include "planes_samples.h"
#include "planes_video.h"
#include "planes_webp.h"

/* Samples 2x - 1 to 2x + 2 * WORDS - 2 of the row. The two of a word are its bytes, in little-endian order. */
INLINE void upsample_block(const uint8_t *near, const uint8_t *far, size_t x, uint8_t *out)
{
    const words a = load_bytes(near + x - 1), b = load_bytes(near + x);
    const words c = load_bytes(far + x - 1), d = load_bytes(far + x);
    const words sum = a + b + c + d + 8;
    const words odd = (((sum + ((b + c) << 1)) >> 3) + a) >> 1, even = (((sum + ((a + d) << 1)) >> 3) + b) >> 1;
    const words both = odd | even << 8;
    memcpy(out + 2 * x - 1, &both, sizeof both);
}

static void upsample(const uint8_t *near, const uint8_t *far, size_t n, uint8_t *out)
{
    size_t x = 1;
    out[0] = spool_webp_upsample_end(near[0], far[0]);
    for (; x + WORDS <= n; x += WORDS)
        upsample_block(near, far, x, out);
    if (x < n && n > WORDS) { /* the last block overlaps the previous one */
        upsample_block(near, far, n - WORDS, out);
        x = n;
    }
    for (; x < n; x++)
        spool_webp_upsample(near[x - 1], near[x], far[x - 1], far[x], out + 2 * x - 1);
    out[2 * n - 1] = spool_webp_upsample_end(near[n - 1], far[n - 1]);
}

INLINE void convert_webp_block(const uint8_t *y, const uint8_t *u, const uint8_t *v, const spool_color *color,
                               uint8_t *rgb)
{
    (void)color;
    const words luma = scaled(load_bytes(y), SPOOL_WEBP_Y), cb = load_bytes(u), cr = load_bytes(v);
    const signed_words r = (signed_words)(luma + scaled(cr, SPOOL_WEBP_V_TO_R) + (uint16_t)SPOOL_WEBP_R);
    const signed_words g =
        (signed_words)(luma - scaled(cb, SPOOL_WEBP_U_TO_G) - scaled(cr, SPOOL_WEBP_V_TO_G) + SPOOL_WEBP_G);
    /* Blue may exceed 2^15, to be clamped to 255. It is shifted unsigned for this reason. */
    const words blue = subtract_saturated(luma + scaled(cb, SPOOL_WEBP_U_TO_B), -SPOOL_WEBP_B);
    store_rgb(rgb, r >> SPOOL_WEBP_FRACTION, g >> SPOOL_WEBP_FRACTION, (signed_words)(blue >> SPOOL_WEBP_FRACTION));
}

INLINE void convert_jpeg_block(const uint8_t *y, const uint8_t *u, const uint8_t *v, const spool_color *color,
                               uint8_t *rgb)
{
    (void)color;
    const signed_words luma = (signed_words)load_bytes(y);
    const signed_words cb = (signed_words)load_bytes(u) - 128, cr = (signed_words)load_bytes(v) - 128;
    const signed_words b = cb << SPOOL_JPEG_FRACTION, r = cr << SPOOL_JPEG_FRACTION;
    const signed_words red = high_product(r, SPOOL_JPEG_R), blue = high_product(b, SPOOL_JPEG_B);
    const signed_words green = high_product(b, SPOOL_JPEG_G_U) + high_product(r, SPOOL_JPEG_G_V);
    store_rgb(rgb, luma + cr + ((red + SPOOL_JPEG_HALF) >> SPOOL_JPEG_FRACTION),
              luma - cr + ((green + SPOOL_JPEG_HALF) >> SPOOL_JPEG_FRACTION),
              luma + cb + cb + ((blue + SPOOL_JPEG_HALF) >> SPOOL_JPEG_FRACTION));
}

INLINE signed_words video_luma(const uint8_t *y, const spool_color *color)
{
    return rounded_product((signed_words)(load_bytes(y) << SPOOL_VIDEO_LUMA_SHIFT), color->luma) + (int16_t)color->bias;
}

/* Green stays within 16 bits because its coefficients are small. */
INLINE void convert_video_block(const uint8_t *y, const uint8_t *u, const uint8_t *v, const spool_color *color,
                                uint8_t *rgb)
{
    const signed_words luma = video_luma(y, color);
    const signed_words cb = (signed_words)(load_bytes(u) << SPOOL_VIDEO_CHROMA_SHIFT) ^ INT16_MIN;
    const signed_words cr = (signed_words)(load_bytes(v) << SPOOL_VIDEO_CHROMA_SHIFT) ^ INT16_MIN;
    const signed_words r = add_saturated(luma, rounded_product(cr, color->v_to_r));
    const signed_words g = luma + rounded_product(cb, color->u_to_g) + rounded_product(cr, color->v_to_g);
    const signed_words b = add_saturated(luma, rounded_product(cb, color->u_to_b));
    store_rgb(rgb, r >> SPOOL_VIDEO_FRACTION, g >> SPOOL_VIDEO_FRACTION, b >> SPOOL_VIDEO_FRACTION);
}

INLINE signed_words with_zero(const uint8_t *samples, int zero)
{
    return (signed_words)(load_bytes(samples) << SPOOL_SWSCALE_SHIFT) + (int16_t)zero;
}

INLINE void convert_swscale_block(const uint8_t *y, const uint8_t *u, const uint8_t *v, const spool_color *color,
                                  uint8_t *rgb)
{
    const int half = -(128 << SPOOL_SWSCALE_SHIFT);
    const signed_words luma = high_product(with_zero(y, color->bias), color->luma);
    const signed_words cb = with_zero(u, half), cr = with_zero(v, half);
    store_rgb(rgb, luma + high_product(cr, color->v_to_r),
              luma + high_product(cb, color->u_to_g) + high_product(cr, color->v_to_g),
              luma + high_product(cb, color->u_to_b));
}

typedef void convert_block(const uint8_t *y, const uint8_t *u, const uint8_t *v, const spool_color *color,
                           uint8_t *rgb);

INLINE void convert(convert_block *block, spool_convert *scalar, const uint8_t *y, const uint8_t *u, const uint8_t *v,
                    size_t n, const spool_color *color, uint8_t *rgb)
{
    size_t i = 0;
    for (; i + WORDS <= n; i += WORDS)
        block(y + i, u + i, v + i, color, rgb + 3 * i);
    if (i == n)
        return;
    if (n >= WORDS) { /* the last block overlaps the previous one */
        i = n - WORDS;
        block(y + i, u + i, v + i, color, rgb + 3 * i);
    } else {
        scalar(y, u, v, n, color, rgb);
    }
}

/* Defines one rule: the loop above calls its block, and the scalar kernel takes less than a block. */
#define CONVERT(name, rule)                                                                         \
    static void convert_##name(const uint8_t *y, const uint8_t *u, const uint8_t *v, size_t n,      \
                               const spool_color *color, uint8_t *rgb)                              \
    {                                                                                               \
        convert(convert_##name##_block, spool_planes_scalar.convert[rule], y, u, v, n, color, rgb); \
    }
CONVERT(webp, SPOOL_RULE_WEBP)
CONVERT(jpeg, SPOOL_RULE_JPEG)
CONVERT(video, SPOOL_RULE_VIDEO)
CONVERT(swscale, SPOOL_RULE_SWSCALE)
#undef CONVERT

static void expand(const uint8_t *y, size_t n, const spool_color *color, uint8_t *gray)
{
    spool_planes_scalar.expand(y, n, color, gray);
}

const spool_planes_kernels PLANES_KERNELS = {
    PLANES_NAME,   upsample, {convert_webp, convert_jpeg, convert_video, convert_swscale},
    convert_words, expand,   SAMPLE_KERNELS};
