/* The kernels of the planes sink in plain C: the reference for the SIMD versions, and the fallback. */
#include "planes_kernels.h"
#include "planes_jpeg.h"
#include "planes_samples.h"
#include "planes_video.h"
#include "planes_webp.h"

static void upsample(const uint8_t *near, const uint8_t *far, size_t n, uint8_t *out)
{
    out[0] = spool_webp_upsample_end(near[0], far[0]);
    for (size_t x = 1; x < n; x++)
        spool_webp_upsample(near[x - 1], near[x], far[x - 1], far[x], out + 2 * x - 1);
    out[2 * n - 1] = spool_webp_upsample_end(near[n - 1], far[n - 1]);
}

static uint8_t clip(int v)
{
    v >>= SPOOL_WEBP_FRACTION;
    return v < 0 ? 0 : v > 255 ? 255 : (uint8_t)v;
}

static int scaled(int sample, int coefficient)
{
    return (sample * coefficient) >> 8;
}

static void convert_webp(const uint8_t *y, const uint8_t *u, const uint8_t *v, size_t n, const spool_color *color,
                         uint8_t *rgb)
{
    (void)color;
    for (size_t i = 0; i < n; i++, rgb += 3) {
        const int luma = scaled(y[i], SPOOL_WEBP_Y);
        rgb[0] = clip(luma + scaled(v[i], SPOOL_WEBP_V_TO_R) + SPOOL_WEBP_R);
        rgb[1] = clip(luma - scaled(u[i], SPOOL_WEBP_U_TO_G) - scaled(v[i], SPOOL_WEBP_V_TO_G) + SPOOL_WEBP_G);
        rgb[2] = clip(luma + scaled(u[i], SPOOL_WEBP_U_TO_B) + SPOOL_WEBP_B);
    }
}

static uint8_t clamped(int v)
{
    return v < 0 ? 0 : v > 255 ? 255 : (uint8_t)v;
}

static int remainder_of(int sample, int factor)
{
    return (sample * (1 << SPOOL_JPEG_FRACTION) * factor) >> 16;
}

static void convert_jpeg(const uint8_t *y, const uint8_t *u, const uint8_t *v, size_t n, const spool_color *color,
                         uint8_t *rgb)
{
    (void)color;
    for (size_t i = 0; i < n; i++, rgb += 3) {
        const int b = u[i] - 128, r = v[i] - 128;
        const int green = remainder_of(b, SPOOL_JPEG_G_U) + remainder_of(r, SPOOL_JPEG_G_V);
        rgb[0] = clamped(y[i] + r + ((remainder_of(r, SPOOL_JPEG_R) + SPOOL_JPEG_HALF) >> SPOOL_JPEG_FRACTION));
        rgb[1] = clamped(y[i] - r + ((green + SPOOL_JPEG_HALF) >> SPOOL_JPEG_FRACTION));
        rgb[2] = clamped(y[i] + 2 * b + ((remainder_of(b, SPOOL_JPEG_B) + SPOOL_JPEG_HALF) >> SPOOL_JPEG_FRACTION));
    }
}

/* (a * b + 2^14) / 2^15 */
static int rounded_product(int a, int b)
{
    return (a * b + (1 << 14)) >> 15;
}

static int luma_of(int y, const spool_color *color)
{
    return rounded_product(y << SPOOL_VIDEO_LUMA_SHIFT, color->luma) + color->bias;
}

static int chroma_of(int sample, int factor)
{
    return rounded_product((sample - 128) * (1 << SPOOL_VIDEO_CHROMA_SHIFT), factor);
}

static uint8_t video_sample(int sum)
{
    return clamped(sum >> SPOOL_VIDEO_FRACTION);
}

static void convert_video(const uint8_t *y, const uint8_t *u, const uint8_t *v, size_t n, const spool_color *color,
                          uint8_t *rgb)
{
    for (size_t i = 0; i < n; i++, rgb += 3) {
        const int luma = luma_of(y[i], color);
        rgb[0] = video_sample(luma + chroma_of(v[i], color->v_to_r));
        rgb[1] = video_sample(luma + chroma_of(u[i], color->u_to_g) + chroma_of(v[i], color->v_to_g));
        rgb[2] = video_sample(luma + chroma_of(u[i], color->u_to_b));
    }
}

static int cut_product(int sample, int zero, int factor)
{
    return ((sample * (1 << SPOOL_SWSCALE_SHIFT) + zero) * factor) >> 16;
}

static void convert_swscale(const uint8_t *y, const uint8_t *u, const uint8_t *v, size_t n, const spool_color *color,
                            uint8_t *rgb)
{
    const int half = -128 * (1 << SPOOL_SWSCALE_SHIFT);
    for (size_t i = 0; i < n; i++, rgb += 3) {
        const int luma = cut_product(y[i], color->bias, color->luma);
        rgb[0] = clamped(luma + cut_product(v[i], half, color->v_to_r));
        rgb[1] = clamped(luma + cut_product(u[i], half, color->u_to_g) + cut_product(v[i], half, color->v_to_g));
        rgb[2] = clamped(luma + cut_product(u[i], half, color->u_to_b));
    }
}

static void expand(const uint8_t *y, size_t n, const spool_color *color, uint8_t *gray)
{
    for (size_t i = 0; i < n; i++)
        gray[i] = video_sample(luma_of(y[i], color));
}

const spool_planes_kernels spool_planes_scalar = {
    "scalar",      upsample, {convert_webp, convert_jpeg, convert_video, convert_swscale},
    convert_words, expand,   SAMPLE_KERNELS};
