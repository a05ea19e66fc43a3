/*
 * libwebp's arithmetic (src/dsp/yuv.h and upsampling.c, version 1.2.4; unchanged since): BT.601 of limited range.
 * Coefficients have 14 bits of fraction. Their product with a sample, shifted right by 8, has 6 bits of fraction.
 */
#ifndef SPOOL_PLANES_WEBP_H
#define SPOOL_PLANES_WEBP_H

#include <stdint.h>

enum {
    SPOOL_WEBP_Y = 19077,
    SPOOL_WEBP_V_TO_R = 26149,
    SPOOL_WEBP_U_TO_G = 6419,
    SPOOL_WEBP_V_TO_G = 13320,
    SPOOL_WEBP_U_TO_B = 33050,
    SPOOL_WEBP_R = -14234,
    SPOOL_WEBP_G = 8708,
    SPOOL_WEBP_B = -17685,
    SPOOL_WEBP_FRACTION = 6,
};

/*
 * Two upsampled samples between a and b, where near[x - 1] = a and near[x] = b; c and d are their neighbors in the far
 * row. Each step rounds as in libwebp.
 */
static inline void spool_webp_upsample(int a, int b, int c, int d, uint8_t *out)
{
    const int sum = a + b + c + d + 8;
    out[0] = (uint8_t)((((sum + 2 * (b + c)) >> 3) + a) >> 1);
    out[1] = (uint8_t)((((sum + 2 * (a + d)) >> 3) + b) >> 1);
}

/* The first and the last sample of a row, which lack a neighbor on one side. */
static inline uint8_t spool_webp_upsample_end(int near, int far)
{
    return (uint8_t)((3 * near + far + 2) >> 2);
}

#endif
