/* The conversion of bytes without a division. The host includes it, to compare the results with those of divisions. */
#ifndef SPOOL_KERNELS_SCALED_H
#define SPOOL_KERNELS_SCALED_H

/* x / 255, for bytes. The factors are 1 / 255, in two parts. */
INLINE float fraction(unsigned int x)
{
    return FUSED((float)x, 0x1.010102p-8f, (float)x * -0x1.fdfdfep-33f);
}

/* (x / 255 - mean) / std: one step of Newton's method corrects the product with the inverse (Markstein). */
INLINE float scaled(unsigned int x, float mean, float std, float inverse)
{
    const float difference = fraction(x) - mean, near = difference * inverse;

    return FUSED(FUSED(-near, std, difference), inverse, near);
}

#endif
