/*
 * Kernels that handle samples one by one, in plain C that compilers turn into the vectors of the
 * instruction set they are asked for: included by the file of each.
 */
#include <math.h>

#include "kernels.h"

#define INLINE static inline __attribute__((always_inline))

/* Samples lie anywhere: in a file's data there may be an odd number of bytes before them. */
#define ANYWHERE __attribute__((aligned(1), may_alias))

/* For a format: `from` is a sample as float, `load` one channel, `pair` two of them mixed. */
#define FORMAT(name, type, from)                                                                         \
    typedef type ANYWHERE name;                                                                          \
    INLINE void load_##name(const name *in, size_t stride, size_t n, float *restrict out)                \
    {                                                                                                    \
        for (size_t i = 0; i < n; i++, in += stride) {                                                   \
            const type x = *in;                                                                          \
            out[i] = from;                                                                               \
        }                                                                                                \
    }                                                                                                    \
    INLINE void pair_##name(const name *a, const name *b, size_t stride, const float *weights, size_t n, \
                            float *restrict out)                                                         \
    {                                                                                                    \
        float one, other;                                                                                \
        for (size_t i = 0; i < n; i++, a += stride, b += stride) {                                       \
            load_##name(a, 0, 1, &one);                                                                  \
            load_##name(b, 0, 1, &other);                                                                \
            out[i] = one * weights[0] + other * weights[1];                                              \
        }                                                                                                \
    }

FORMAT(u8, uint8_t, (float)(x - 0x80) * 0x1p-7f)
FORMAT(s16, int16_t, (float)x * 0x1p-15f)
FORMAT(s32, int32_t, (float)x * 0x1p-31f)
FORMAT(s64, int64_t, (float)x * 0x1p-63f)
FORMAT(f32, float, x)
FORMAT(f64, double, (float)x)

/* Loops of their own for samples that are next to each other, and for interleaved stereo. */
#define BY_STRIDE(name)         \
    do {                        \
        if (stride == 1)        \
            CALL(name, 1);      \
        else if (stride == 2)   \
            CALL(name, 2);      \
        else                    \
            CALL(name, stride); \
        return;                 \
    } while (0)

#define BY_FORMAT            \
    switch (format) {        \
    case SPOOL_RESAMPLE_U8:  \
        BY_STRIDE(u8);       \
    case SPOOL_RESAMPLE_S16: \
        BY_STRIDE(s16);      \
    case SPOOL_RESAMPLE_S32: \
        BY_STRIDE(s32);      \
    case SPOOL_RESAMPLE_S64: \
        BY_STRIDE(s64);      \
    case SPOOL_RESAMPLE_F32: \
        BY_STRIDE(f32);      \
    case SPOOL_RESAMPLE_F64: \
        BY_STRIDE(f64);      \
    }

static void load(const void *src, int32_t format, size_t stride, size_t n, float *restrict out)
{
#define CALL(name, s) load_##name(src, s, n, out)
    BY_FORMAT
#undef CALL
}

static void pair(const void *a, const void *b, int32_t format, size_t stride, const float *weights, size_t n,
                 float *restrict out){
#define CALL(name, s) pair_##name(a, b, s, weights, n, out)
    BY_FORMAT
#undef CALL
}

/* Rounded to even and clipped. What is no number is silence. */
INLINE int32_t fixed(float x, float scale, int32_t most)
{
    const float y = rintf(x * scale);
    if (!(y == y))
        return 0;
    return y >= scale ? most : y < -scale ? -most - 1 : (int32_t)y;
}

#define STORE(type, conversion)                   \
    do {                                          \
        type ANYWHERE *out = dst;                 \
        for (size_t i = 0; i < n; i++)            \
            out[stride * i] = (type)(conversion); \
    } while (0)

static void store(const float *restrict in, int32_t format, size_t stride, size_t n, void *restrict dst)
{
    switch (format) {
    case SPOOL_RESAMPLE_U8:
        STORE(uint8_t, fixed(in[i], 0x1p7f, INT8_MAX) + 0x80);
        break;
    case SPOOL_RESAMPLE_S16:
        STORE(int16_t, fixed(in[i], 0x1p15f, INT16_MAX));
        break;
    case SPOOL_RESAMPLE_S32:
        STORE(int32_t, fixed(in[i], 0x1p31f, INT32_MAX));
        break;
    case SPOOL_RESAMPLE_F32:
        STORE(float, in[i]);
        break;
    case SPOOL_RESAMPLE_F64:
        STORE(double, in[i]);
        break;
    }
}

static void scale(const float *restrict in, float weight, size_t n, float *restrict out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = in[i] * weight;
}

static void accumulate(const float *restrict in, float weight, size_t n, float *restrict out)
{
    for (size_t i = 0; i < n; i++)
        out[i] += in[i] * weight;
}
