/*
 * Code shared by the kernels. nvrtc compiles them, and so does a C compiler with a few declarations
 * (fake/driver/device.h), so that tests run this source without a device. CUDA headers are not needed, and C headers
 * are not available.
 */
#ifndef SPOOL_KERNELS_ELEMENTS_H
#define SPOOL_KERNELS_ELEMENTS_H

#include "params.h"

#define INLINE static __device__ __forceinline__
#ifndef KERNEL
#define KERNEL extern "C" __global__ void __launch_bounds__(SPOOL_THREADS)
#define FUSED(a, b, c) __fmaf_rn(a, b, c)

/* Converts to IEEE 754 binary16, rounded to nearest, ties to even. */
INLINE unsigned int half_of(float value)
{
    unsigned short half;

    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
}
#endif

#include "scaled.h"

INLINE unsigned int bits_of(float value)
{
    const union {
        float value;
        unsigned int bits;
    } all = {value};

    return all.bits;
}

/* The bytes of an element of a type. */
INLINE int size_of(const int type)
{
    return type == SPOOL_UINT8 ? 1 : type == SPOOL_FLOAT32 ? 4 : 2;
}

/* Returns the bits of a float32 that is rounded to a type. It is no NaN: scales are finite. */
INLINE unsigned int rounded(float value, const int type)
{
    const unsigned int bits = bits_of(value);

    if (type == SPOOL_FLOAT16)
        return half_of(value);
    return type == SPOOL_BFLOAT16 ? (bits + 0x7fff + (bits >> 16 & 1)) >> 16 : bits;
}

/* Returns the bits of byte x, converted for a channel. The scale has to be exact. */
INLINE unsigned int element(unsigned int x, const spool_scale *s, const int c, const int type)
{
    return rounded(scaled(x, s->mean[c], s->std[c], s->inverse[c]), type);
}

/* The same for any scale. */
INLINE unsigned int divided(unsigned int x, const spool_scale *s, const int c, const int type)
{
    return rounded(((float)x / 255.0f - s->mean[c]) / s->std[c], type);
}

/* Writes element k, of `size` bytes, to a zeroed unit. */
INLINE void put(unsigned int *unit, const int k, const int size, unsigned int element)
{
    unit[k * size / 4] += element << 8 * (k * size % 4);
}

INLINE uint4 unit_of(const unsigned int *unit)
{
    const uint4 all = {unit[0], unit[1], unit[2], unit[3]};

    return all;
}

INLINE void store_unit(unsigned char *to, const uint4 unit)
{
    *(uint4 *)to = unit;
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
