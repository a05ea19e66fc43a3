/*
 * Converts frames of video, luma and chroma, to RGB: interleaved bytes, or planes of floats. Subsampled chroma is
 * repeated. A thread converts as many pixels of a row as fill SPOOL_UNIT bytes of a channel.
 *
 * Samples of 8 bits are converted as in swscale, which truncates products (cbridge/kernel/planes_video.h). Words are
 * rounded once, from the 21 fraction bits of their sums.
 */
#include "elements.h"

INLINE int cut_product(int sample, int zero, int factor)
{
    return ((sample * 8 + zero) * factor) >> 16;
}

INLINE unsigned int clamped(int v)
{
    return v < 0 ? 0 : v > 255 ? 255 : v;
}

INLINE int sample_at(const unsigned char *row, size_t x, const int bytes, unsigned int shift)
{
    return bytes == 1 ? row[x] : ((const unsigned short *)row)[x] << shift & 0xffff;
}

INLINE void convert(int y, int u, int v, const spool_frames *p, const int bytes, unsigned int *rgb)
{
    if (bytes == 1) {
        const int luma = cut_product(y, p->bias, p->luma), zero = -128 * 8;
        rgb[0] = clamped(luma + cut_product(v, zero, p->red_v));
        rgb[1] = clamped(luma + cut_product(u, zero, p->green_u) + cut_product(v, zero, p->green_v));
        rgb[2] = clamped(luma + cut_product(u, zero, p->blue_u));
    } else {
        const int luma = y * p->luma + p->bias, b = u - 32768, r = v - 32768;
        rgb[0] = clamped((luma + r * p->red_v) >> 21);
        rgb[1] = clamped((luma + b * p->green_u + r * p->green_v) >> 21);
        rgb[2] = clamped((luma + b * p->blue_u) >> 21);
    }
}

/* The planes of a row of a frame, and its output. */
typedef struct {
    const unsigned char *y, *u, *v; /* rows */
    unsigned char *out;             /* of the row: its pixels, or its start in the plane of red */
    size_t plane;
} frame_row;

INLINE void convert_at(const frame_row *row, unsigned int x, const spool_frames *p, const int bytes, unsigned int *rgb)
{
    const size_t chroma = (size_t)(x >> p->chroma_x) * p->step;

    convert(sample_at(row->y, x, bytes, p->shift), sample_at(row->u, chroma, bytes, p->shift),
            sample_at(row->v, chroma, bytes, p->shift), p, bytes, rgb);
}

INLINE void frame_pixel(const frame_row *row, unsigned int x, const spool_frames *p, const unsigned int *table,
                        const int bytes, const int size)
{
    unsigned int rgb[3];

    convert_at(row, x, p, bytes, rgb);
#pragma unroll
    for (int c = 0; c < 3; c++)
        if (size == 1)
            row->out[3 * (size_t)x + c] = (unsigned char)rgb[c];
        else
            store_element(row->out + c * row->plane + (size_t)x * size, size, table[256 * c + rgb[c]]);
}

INLINE void frame_unit(const frame_row *row, unsigned int x, const spool_frames *p, const unsigned int *table,
                       const int bytes, const int size)
{
    const int pixels = SPOOL_UNIT / size;
    unsigned int units[3][SPOOL_UNIT / 4] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};

#pragma unroll
    for (int k = 0; k < pixels; k++) {
        unsigned int rgb[3];
        convert_at(row, x + k, p, bytes, rgb);
#pragma unroll
        for (int c = 0; c < 3; c++)
            if (size == 1)
                put(units[(3 * k + c) / SPOOL_UNIT], (3 * k + c) % SPOOL_UNIT, size, rgb[c]);
            else
                put(units[c], k, size, table[256 * c + rgb[c]]);
    }
#pragma unroll
    for (int c = 0; c < 3; c++)
        store_unit(row->out + (size == 1 ? 3 * (size_t)x + c * SPOOL_UNIT : c * row->plane + (size_t)x * size),
                   units[c]);
}

INLINE void frames(const unsigned char *__restrict__ y, const unsigned char *__restrict__ u,
                   const unsigned char *__restrict__ v, unsigned char *__restrict__ out, const spool_frames *p,
                   const int bytes, const int size)
{
    __shared__ unsigned int table[3 * 256];
    const unsigned int pixels = p->wide ? SPOOL_UNIT / size : 1, units = p->width / pixels, count = units * p->height;
    const size_t row_bytes = (size_t)p->width * (size == 1 ? 3 : size), plane = (size_t)p->width * p->height * size;

    if (size > 1)
        fill_table(table, &p->scale, 3);
    for (unsigned int f = blockIdx.y; f < p->frames; f += gridDim.y)
        for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
            const unsigned int line = i / units, x = (i - line * units) * pixels;
            const size_t luma = f * p->luma_frame + line * p->luma_pitch;
            const size_t chroma = f * p->chroma_frame + (line >> p->chroma_y) * p->chroma_pitch;
            const frame_row row = {y + luma, u + chroma, v + chroma, out + f * 3 * plane + line * row_bytes, plane};
            if (p->wide)
                frame_unit(&row, x, p, table, bytes, size);
            else
                frame_pixel(&row, x, p, table, bytes, size);
        }
}

#define FRAMES(bytes, size)                                                                                  \
    KERNEL frames_##bytes##_##size(const unsigned char *__restrict__ y, const unsigned char *__restrict__ u, \
                                   const unsigned char *__restrict__ v, unsigned char *__restrict__ out,     \
                                   const spool_frames p)                                                     \
    {                                                                                                        \
        frames(y, u, v, out, &p, bytes, size);                                                               \
    }
FRAMES(1, 1)
FRAMES(1, 2)
FRAMES(1, 4)
FRAMES(2, 1)
FRAMES(2, 2)
FRAMES(2, 4)
