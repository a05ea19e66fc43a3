/*
 * Kernels that process samples one by one, in plain C that compilers vectorize. Each instruction set's file includes
 * this source.
 */
#include <math.h>
#include <string.h>

#include "g711.h"
#include "kernels.h"
#include "shuffle.h"

#define INLINE static inline __attribute__((always_inline))

/* Samples have any alignment: in a file's data they may begin at an odd address. */
#define ANYWHERE __attribute__((aligned(1), may_alias))

typedef uint8_t ANYWHERE u8;
typedef int16_t ANYWHERE s16;
typedef int32_t ANYWHERE s32;
typedef int64_t ANYWHERE s64;
typedef float ANYWHERE f32;
typedef double ANYWHERE f64;
typedef struct {
    uint8_t b[3];
} ANYWHERE s24;
typedef uint8_t ANYWHERE alaw;
typedef uint8_t ANYWHERE mulaw;

/* For a format: `from` is a sample as float, `load` converts one channel, `pair` mixes two of them. */
#define FORMAT(name, from)                                                                               \
    INLINE void load_##name(const name *in, size_t stride, size_t n, float *restrict out)                \
    {                                                                                                    \
        for (size_t i = 0; i < n; i++, in += stride) {                                                   \
            const name x = *in;                                                                          \
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

FORMAT(u8, (float)(x - 0x80) * 0x1p-7f)
FORMAT(s16, (float)x * 0x1p-15f)
FORMAT(s32, (float)x * 0x1p-31f)
FORMAT(s64, (float)x * 0x1p-63f)
FORMAT(f32, x)
FORMAT(f64, (float)x)
FORMAT(s24, (float)(int32_t)((uint32_t)x.b[0] << 8 | (uint32_t)x.b[1] << 16 | (uint32_t)x.b[2] << 24) * 0x1p-31f)
FORMAT(alaw, spool_resample_alaw[x])
FORMAT(mulaw, spool_resample_mulaw[x])

/* Adjacent 24-bit samples, four in 16 bytes; the last of these bytes belong to the next samples. */
INLINE void load_s24_row(const s24 *in, size_t n, float *restrict out)
{
    size_t i = 0;
#ifdef WIDTH
    typedef uint8_t bytes __attribute__((vector_size(16)));
    typedef int32_t ints __attribute__((vector_size(16)));
    typedef float floats __attribute__((vector_size(16)));
    for (; i + 6 <= n; i += 4) {
        bytes b;
        memcpy(&b, in + i, sizeof b);
        b = SHUFFLE(bytes, b, (bytes){0}, 16, 0, 1, 2, 16, 3, 4, 5, 16, 6, 7, 8, 16, 9, 10, 11);
        const floats x = __builtin_convertvector((ints)b, floats) * 0x1p-31f;
        memcpy(out + i, &x, sizeof x);
    }
#endif
    load_s24(in + i, 1, n - i, out + i);
}

/* Two interleaved channels of such samples. */
INLINE void pair_s24_row(const s24 *in, size_t n, const float *weights, float *restrict out)
{
    float both[256];
    for (size_t i = 0; i < n; i += 128) {
        const size_t k = n - i < 128 ? n - i : 128;
        load_s24_row(in + 2 * i, 2 * k, both);
        pair_f32(both, both + 1, 2, weights, k, out + i);
    }
}

/* Specialized loops for adjacent samples, and for interleaved stereo. */
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

#define BY_FORMAT              \
    switch (format) {          \
    case SPOOL_RESAMPLE_U8:    \
        BY_STRIDE(u8);         \
    case SPOOL_RESAMPLE_S16:   \
        BY_STRIDE(s16);        \
    case SPOOL_RESAMPLE_S32:   \
        BY_STRIDE(s32);        \
    case SPOOL_RESAMPLE_S64:   \
        BY_STRIDE(s64);        \
    case SPOOL_RESAMPLE_F32:   \
        BY_STRIDE(f32);        \
    case SPOOL_RESAMPLE_F64:   \
        BY_STRIDE(f64);        \
    case SPOOL_RESAMPLE_S24:   \
        BY_STRIDE(s24);        \
    case SPOOL_RESAMPLE_ALAW:  \
        BY_STRIDE(alaw);       \
    case SPOOL_RESAMPLE_MULAW: \
        BY_STRIDE(mulaw);      \
    }

static void load(const void *src, int32_t format, size_t stride, size_t n, float *restrict out)
{
    if (format == SPOOL_RESAMPLE_S24 && stride == 1) {
        load_s24_row(src, n, out);
        return;
    }
#define CALL(name, s) load_##name(src, s, n, out)
    BY_FORMAT
#undef CALL
}

static void pair(const void *a, const void *b, int32_t format, size_t stride, const float *weights, size_t n,
                 float *restrict out)
{
    if (format == SPOOL_RESAMPLE_S24 && stride == 2 && (const s24 *)a + 1 == b) {
        pair_s24_row(a, n, weights, out);
        return;
    }
#define CALL(name, s) pair_##name(a, b, s, weights, n, out)
    BY_FORMAT
#undef CALL
}

/* Rounded to even and clipped. NaN becomes silence. */
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
