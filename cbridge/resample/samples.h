/*
 * Kernels that handle samples one by one, in plain C that compilers turn into the vectors of the
 * instruction set they are asked for: included by the file of each.
 */
#include <math.h>

#include "kernels.h"

/* Samples lie anywhere: in a file's data there may be an odd number of bytes before them. */
#define ANYWHERE(type) type __attribute__((aligned(1), may_alias))

#define LOAD(type, expression)                         \
    do {                                               \
        const ANYWHERE(type) *in = src;                \
        if (stride == 1)                               \
            for (size_t i = 0; i < n; i++)             \
                out[i] = (expression(in[i]));          \
        else if (stride == 2)                          \
            for (size_t i = 0; i < n; i++)             \
                out[i] = (expression(in[2 * i]));      \
        else                                           \
            for (size_t i = 0; i < n; i++)             \
                out[i] = (expression(in[stride * i])); \
    } while (0)

#define FROM_U8(x) (float)((x)-0x80) * 0x1p-7f
#define FROM_S16(x) (float)(x)*0x1p-15f
#define FROM_S32(x) (float)(x)*0x1p-31f
#define FROM_S64(x) (float)(x)*0x1p-63f
#define FROM_F32(x) (x)
#define FROM_F64(x) (float)(x)

static void load(const void *restrict src, int32_t format, size_t stride, size_t n, float *restrict out)
{
    switch (format) {
    case SPOOL_RESAMPLE_U8:
        LOAD(uint8_t, FROM_U8);
        break;
    case SPOOL_RESAMPLE_S16:
        LOAD(int16_t, FROM_S16);
        break;
    case SPOOL_RESAMPLE_S32:
        LOAD(int32_t, FROM_S32);
        break;
    case SPOOL_RESAMPLE_S64:
        LOAD(int64_t, FROM_S64);
        break;
    case SPOOL_RESAMPLE_F32:
        LOAD(float, FROM_F32);
        break;
    case SPOOL_RESAMPLE_F64:
        LOAD(double, FROM_F64);
        break;
    }
}

/* Rounded to even and clipped. What is no number is silence. */
static inline int32_t fixed(float x, float scale, float top, int32_t most)
{
    const float y = rintf(x * scale);
    if (!(y == y))
        return 0;
    return y >= top ? most : y < -top ? -most - 1 : (int32_t)y;
}

#define STORE(type, expression)                   \
    do {                                          \
        ANYWHERE(type) *out = dst;                \
        for (size_t i = 0; i < n; i++)            \
            out[stride * i] = (type)(expression); \
    } while (0)

static void store(const float *restrict in, int32_t format, size_t stride, size_t n, void *restrict dst)
{
    switch (format) {
    case SPOOL_RESAMPLE_U8:
        STORE(uint8_t, fixed(in[i], 0x1p7f, 0x1p7f, INT8_MAX) + 0x80);
        break;
    case SPOOL_RESAMPLE_S16:
        STORE(int16_t, fixed(in[i], 0x1p15f, 0x1p15f, INT16_MAX));
        break;
    case SPOOL_RESAMPLE_S32:
        STORE(int32_t, fixed(in[i], 0x1p31f, 0x1p31f, INT32_MAX));
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
