/*
 * Rows of pixels in blocks of PIXELS, an even number, by convert_wide_block and convert_block. The including file must
 * define these three before.
 */
#include <string.h>

_Static_assert((int)PIXELS / 2 <= (int)WIDE_SLACK, "the last block stays within what may be read");

static void add(const uint8_t *near, const uint8_t *far, size_t n, int16_t *sums)
{
    for (size_t i = 0; i < n; i++) /* the compiler vectorizes it */
        sums[i] = 3 * near[i] + far[i] - SUM_BIAS;
    sums[-1] = sums[0];
    sums[n] = sums[n - 1];
}

/* The last block is made in a buffer, because neither its luma nor its pixels are complete. */
static void convert_wide(const uint8_t *y, const int16_t *cb, const int16_t *cr, spool_baseline_rounding rounding,
                         size_t n, uint8_t *rgb)
{
    size_t i = 0;
    for (; i + PIXELS <= n; i += PIXELS)
        convert_wide_block(y + i, cb + i / 2, cr + i / 2, rounding, rgb + 3 * i);
    if (i < n) {
        uint8_t luma[PIXELS] = {0}, pixels[3 * PIXELS];
        memcpy(luma, y + i, n - i);
        convert_wide_block(luma, cb + i / 2, cr + i / 2, rounding, pixels);
        memcpy(rgb + 3 * i, pixels, 3 * (n - i));
    }
}

static void convert(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, size_t n, uint8_t *rgb)
{
    size_t i = 0;
    for (; i + PIXELS <= n; i += PIXELS)
        convert_block(y + i, cb + i, cr + i, rgb + 3 * i);
    if (i < n) {
        uint8_t planes[3][PIXELS] = {0}, pixels[3 * PIXELS];
        memcpy(planes[0], y + i, n - i);
        memcpy(planes[1], cb + i, n - i);
        memcpy(planes[2], cr + i, n - i);
        convert_block(planes[0], planes[1], planes[2], pixels);
        memcpy(rgb + 3 * i, pixels, 3 * (n - i));
    }
}
