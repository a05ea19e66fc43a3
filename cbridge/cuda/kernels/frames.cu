/*
 * Converts frames of video, luma and chroma, to RGB: interleaved bytes, or planes of floats. Subsampled chroma is
 * repeated. A unit is as many pixels of a row as fill SPOOL_UNIT bytes of a channel. A thread loads the samples of a
 * unit as words, and converts chroma once for all pixels that share it. A block collects interleaved bytes in shared
 * memory, so that a warp stores whole cache lines. If sizes or addresses do not allow units, threads convert pixels.
 *
 * Samples of 8 bits are converted as in swscale, which truncates products (cbridge/kernel/planes_video.h). Words are
 * rounded once, from the 21 fraction bits of their sums.
 */
#include "elements.h"

INLINE int cut_product(int sample, int zero, int factor)
{
    return (sample * (8 * factor) + zero * factor) >> 16;
}

INLINE unsigned int clamped(int v)
{
    const int below = v < 255 ? v : 255;

    return below > 0 ? below : 0;
}

/* The contributions of a chroma sample to the colors. */
typedef struct {
    int red, green, blue;
} tint;

INLINE tint tint_of(int u, int v, const spool_frames *p, const int bytes)
{
    if (bytes == 1) {
        const int zero = -128 * 8;
        const tint all = {cut_product(v, zero, p->red_v),
                          cut_product(u, zero, p->green_u) + cut_product(v, zero, p->green_v),
                          cut_product(u, zero, p->blue_u)};
        return all;
    }
    const tint all = {(v - 32768) * p->red_v, (u - 32768) * p->green_u + (v - 32768) * p->green_v,
                      (u - 32768) * p->blue_u};
    return all;
}

INLINE void convert(int y, const tint *t, const spool_frames *p, const int bytes, unsigned int *rgb)
{
    const int luma = bytes == 1 ? cut_product(y, p->bias, p->luma) : y * p->luma + p->bias, shift = bytes == 1 ? 0 : 21;

    rgb[0] = clamped((luma + t->red) >> shift);
    rgb[1] = clamped((luma + t->green) >> shift);
    rgb[2] = clamped((luma + t->blue) >> shift);
}

INLINE unsigned int sample_at(const unsigned char *row, size_t x, const int bytes, unsigned int shift)
{
    return bytes == 1 ? row[x] : (unsigned int)((const unsigned short *)row)[x] << shift & 0xffff;
}

/* Returns sample k of words. */
INLINE unsigned int sample_of(const unsigned int *words, const int k, const int bytes, unsigned int shift)
{
    if (bytes == 1)
        return words[k / 4] >> 8 * (k % 4) & 255;
    return words[k / 2] >> 16 * (k % 2) << shift & 0xffff;
}

/* Loads 2 to 32 bytes, which are aligned to their number, or to 16. */
INLINE void load_words(unsigned int *words, const unsigned char *from, const int bytes)
{
    if (bytes == 2) {
        words[0] = *(const unsigned short *)from;
    } else if (bytes == 4) {
        words[0] = *(const unsigned int *)from;
    } else if (bytes == 8) {
        const unsigned long long both = *(const unsigned long long *)from;
        words[0] = (unsigned int)both;
        words[1] = (unsigned int)(both >> 32);
    } else {
#pragma unroll
        for (int i = 0; i < bytes / 16; i++) {
            const uint4 all = ((const uint4 *)from)[i];
            words[4 * i] = all.x;
            words[4 * i + 1] = all.y;
            words[4 * i + 2] = all.z;
            words[4 * i + 3] = all.w;
        }
    }
}

/* The samples of a pixel or a unit, and its output: its bytes, or its place in the plane of red. */
typedef struct {
    const unsigned char *y, *u, *v;
    unsigned char *out;
    size_t plane;
} place;

INLINE void frame_pixel(const place *at, const spool_frames *p, const int bytes, const int type)
{
    const int size = size_of(type);
    const tint t = tint_of(sample_at(at->u, 0, bytes, p->shift), sample_at(at->v, 0, bytes, p->shift), p, bytes);
    unsigned int rgb[3];

    convert(sample_at(at->y, 0, bytes, p->shift), &t, p, bytes, rgb);
#pragma unroll
    for (int c = 0; c < 3; c++)
        if (type == SPOOL_UINT8)
            at->out[c] = (unsigned char)rgb[c];
        else
            store_element(at->out + c * at->plane, size, divided(rgb[c], &p->scale, c, type));
}

/* Converts a unit whose chroma is in pairs or planes, and has half the width or all of it. */
INLINE void frame_unit(const place *at, const spool_frames *p, unsigned int units[3][SPOOL_UNIT / 4], const int bytes,
                       const int type, const int half)
{
    const int size = size_of(type), pixels = SPOOL_UNIT / size, tints = pixels >> half;
    unsigned int y[8], u[8], v[8], pairs[16];

    load_words(y, at->y, pixels * bytes);
    if (p->step == 1) {
        load_words(u, at->u, tints * bytes);
        load_words(v, at->v, tints * bytes);
    } else {
        const int reversed = at->v < at->u;
        load_words(pairs, reversed ? at->v : at->u, 2 * tints * bytes);
#pragma unroll
        for (int i = 0; i < 8; i++)
            u[i] = v[i] = 0;
#pragma unroll
        for (int k = 0; k < tints; k++) {
            const unsigned int first = sample_of(pairs, 2 * k, bytes, 0);
            const unsigned int second = sample_of(pairs, 2 * k + 1, bytes, 0);
            u[k * bytes / 4] += (reversed ? second : first) << 8 * (k * bytes % 4);
            v[k * bytes / 4] += (reversed ? first : second) << 8 * (k * bytes % 4);
        }
    }
#pragma unroll
    for (int k = 0; k < tints; k++) {
        const tint t = tint_of(sample_of(u, k, bytes, p->shift), sample_of(v, k, bytes, p->shift), p, bytes);
#pragma unroll
        for (int i = k << half; i < (k + 1) << half; i++) {
            unsigned int rgb[3];
            convert(sample_of(y, i, bytes, p->shift), &t, p, bytes, rgb);
#pragma unroll
            for (int c = 0; c < 3; c++)
                if (type == SPOOL_UINT8)
                    put(units[(3 * i + c) / SPOOL_UNIT], (3 * i + c) % SPOOL_UNIT, 1, rgb[c]);
                else
                    put(units[c], i, size, element(rgb[c], &p->scale, c, type));
        }
    }
}

INLINE void frames(const unsigned char *__restrict__ y, const unsigned char *__restrict__ u,
                   const unsigned char *__restrict__ v, unsigned char *__restrict__ out, const spool_frames *p,
                   const int bytes, const int type)
{
    const int size = size_of(type);
    const unsigned int pixels = p->wide ? SPOOL_UNIT / size : 1, units = p->width / pixels, count = units * p->height;
    const unsigned int i = blockIdx.x * SPOOL_THREADS + threadIdx.x, line = i / units, x = (i - line * units) * pixels;
    const unsigned int f = blockIdx.y, pixel = type == SPOOL_UINT8 ? 3 : size;
    const size_t plane = (size_t)p->width * p->height * size;
    const size_t chroma =
        f * p->chroma_frame + (line >> p->chroma_y) * p->chroma_pitch + (size_t)(x >> p->chroma_x) * p->step * bytes;
    unsigned char *to = out + f * 3 * plane;
    const place at = {y + f * p->luma_frame + line * p->luma_pitch + (size_t)x * bytes, u + chroma, v + chroma,
                      to + (size_t)i * pixels * pixel, plane};
    unsigned int rgb[3][SPOOL_UNIT / 4] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};

    if (!p->wide) {
        if (i < count)
            frame_pixel(&at, p, bytes, type);
        return;
    }
    if (i < count) {
        if (p->chroma_x)
            frame_unit(&at, p, rgb, bytes, type, 1);
        else
            frame_unit(&at, p, rgb, bytes, type, 0);
    }
    if (type == SPOOL_UINT8) {
        __shared__ uint4 block[3 * SPOOL_THREADS];
        const unsigned int first = blockIdx.x * (3 * SPOOL_THREADS) + threadIdx.x;
#pragma unroll
        for (int c = 0; c < 3; c++)
            block[3 * threadIdx.x + c] = unit_of(rgb[c]);
        __syncthreads();
#pragma unroll
        for (int c = 0; c < 3; c++)
            if (first + c * SPOOL_THREADS < 3 * count)
                store_unit(to + ((size_t)first + c * SPOOL_THREADS) * SPOOL_UNIT,
                           block[threadIdx.x + c * SPOOL_THREADS]);
    } else if (i < count) {
#pragma unroll
        for (int c = 0; c < 3; c++)
            store_unit(at.out + c * plane, unit_of(rgb[c]));
    }
}

#define FRAMES(bytes, type)                                                                                  \
    KERNEL frames_##bytes##_##type(const unsigned char *__restrict__ y, const unsigned char *__restrict__ u, \
                                   const unsigned char *__restrict__ v, unsigned char *__restrict__ out,     \
                                   const spool_frames p)                                                     \
    {                                                                                                        \
        frames(y, u, v, out, &p, bytes, type);                                                               \
    }
FRAMES(1, 0)
FRAMES(1, 1)
FRAMES(1, 2)
FRAMES(1, 3)
FRAMES(2, 0)
FRAMES(2, 1)
FRAMES(2, 2)
FRAMES(2, 3)
