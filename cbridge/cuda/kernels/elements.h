/*
 * Code shared by the kernels. nvrtc compiles them, and so does a C compiler with a few declarations
 * (fake/driver/device.h), so that tests run this source without a device. CUDA headers are not needed, and C headers
 * are not available.
 */
#ifndef SPOOL_KERNELS_ELEMENTS_H
#define SPOOL_KERNELS_ELEMENTS_H

#include "params.h"

#ifndef KERNEL
#define KERNEL extern "C" __global__ void __launch_bounds__(SPOOL_THREADS)
#endif
#define INLINE static __device__ __forceinline__

/* Converts the bits of a float32 to IEEE 754 binary16, rounded to nearest, ties to even. */
INLINE unsigned int half_of(unsigned int bits)
{
    const unsigned int sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;

    if (magnitude > 0x7f800000) /* NaN */
        return sign | 0x7e00;
    if (magnitude >= 0x47800000) /* 2^16; values just below become infinite by rounding */
        return sign | 0x7c00;
    if (magnitude >= 0x38800000) {
        const unsigned int rebiased = magnitude - (112u << 23);
        return sign | (rebiased + 0xfff + (rebiased >> 13 & 1)) >> 13;
    }
    if (magnitude < 0x33000000) /* less than half of the smallest subnormal */
        return sign;
    const unsigned int shift = 126 - (magnitude >> 23), mantissa = (magnitude & 0x7fffff) | 0x800000;
    return sign | (mantissa + (1u << (shift - 1)) - 1 + (mantissa >> shift & 1)) >> shift;
}

/* Converts the bits of a float32 to bfloat16: the upper half, rounded in the same way. */
INLINE unsigned int brain_of(unsigned int bits)
{
    if ((bits & 0x7fffffff) > 0x7f800000)
        return bits >> 16 | 0x40;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/*
 * Fills table[256 * channel + byte] with the bits of the elements. Each block fills its table once, so exact divisions,
 * as on a host, cost almost nothing. A lookup costs as much as a multiplication.
 */
INLINE void fill_table(unsigned int *table, const spool_scale *s, const int channels)
{
    for (unsigned int x = threadIdx.x; x < 256; x += blockDim.x) {
        const float value = (float)x / 255.0f;
#pragma unroll
        for (int c = 0; c < channels; c++) {
            union {
                float value;
                unsigned int bits;
            } element = {(value - s->mean[c]) / s->std[c]};
            if (s->type == SPOOL_FLOAT16)
                element.bits = half_of(element.bits);
            else if (s->type == SPOOL_BFLOAT16)
                element.bits = brain_of(element.bits);
            table[256 * c + x] = element.bits;
        }
    }
    __syncthreads();
}

/* Writes element k, of `size` bytes, to a zeroed unit. */
INLINE void put(unsigned int *unit, const int k, const int size, unsigned int element)
{
    unit[k * size / 4] |= element << 8 * (k * size % 4);
}

INLINE void store_unit(unsigned char *to, const unsigned int *unit)
{
    const uint4 all = {unit[0], unit[1], unit[2], unit[3]};

    *(uint4 *)to = all;
}

INLINE void store_element(unsigned char *to, const int size, unsigned int element)
{
    if (size == 1)
        *to = (unsigned char)element;
    else if (size == 2)
        *(unsigned short *)to = (unsigned short)element;
    else
        *(unsigned int *)to = element;
}

#endif
