/*
 * Converts images of interleaved bytes to planes of floats, optionally mirrored or flipped vertically.
 *
 * A thread converts as many pixels as fill SPOOL_UNIT bytes of a plane, so that a warp stores whole cache lines. It
 * loads words of that many bytes; the rest of a line comes from the cache with the next word. If sizes or addresses do
 * not allow that, it converts pixels one by one.
 */
#include "elements.h"

/* Loads a word of as many bytes as a unit has pixels. */
INLINE unsigned long long load_word(const unsigned char *from, const int bytes)
{
    return bytes == 8 ? *(const unsigned long long *)from : *(const unsigned int *)from;
}

INLINE void normalize_unit(const unsigned char *__restrict__ in, unsigned char *__restrict__ out, size_t plane,
                           const unsigned int *table, const int channels, const int size, const int mirrored)
{
    const int pixels = SPOOL_UNIT / size;
    unsigned long long words[4];

#pragma unroll
    for (int i = 0; i < channels; i++)
        words[i] = load_word(in + i * pixels, pixels);
#pragma unroll
    for (int c = 0; c < channels; c++) {
        unsigned int unit[SPOOL_UNIT / 4] = {0, 0, 0, 0};
#pragma unroll
        for (int i = 0; i < pixels; i++) {
            const int at = i * channels + c;
            const unsigned int byte = (unsigned int)(words[at / pixels] >> 8 * (at % pixels)) & 255;
            put(unit, mirrored ? pixels - 1 - i : i, size, table[256 * c + byte]);
        }
        store_unit(out + c * plane, unit);
    }
}

/* Returns the input position of output position i, in rows of `width`. */
INLINE unsigned int flipped(unsigned int i, unsigned int width, unsigned int height, unsigned int flips)
{
    unsigned int row = i / width, column = i - row * width;

    if (flips & SPOOL_FLIP_ROWS)
        row = height - 1 - row;
    if (flips & SPOOL_FLIP_COLUMNS)
        column = width - 1 - column;
    return row * width + column;
}

INLINE void normalize(const unsigned char *__restrict__ in, unsigned char *__restrict__ out, const spool_normalize *p,
                      const int channels, const int size)
{
    __shared__ unsigned int table[4 * 256];
    const unsigned int sample = blockIdx.y, flips = p->flips[sample / 16] >> 2 * (sample % 16) & 3;
    const unsigned int pixels = p->wide ? SPOOL_UNIT / size : 1;
    const unsigned int width = p->width / pixels, count = p->width * p->height / pixels;
    const size_t plane = (size_t)p->width * p->height * size;

    fill_table(table, &p->scale, channels);
    in += (size_t)sample * p->width * p->height * channels;
    out += sample * plane * channels;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const unsigned char *from = in + (size_t)(flips ? flipped(i, width, p->height, flips) : i) * pixels * channels;
        unsigned char *to = out + (size_t)i * pixels * size;
        if (!p->wide) {
#pragma unroll
            for (int c = 0; c < channels; c++)
                store_element(to + c * plane, size, table[256 * c + from[c]]);
        } else if (flips & SPOOL_FLIP_COLUMNS) {
            normalize_unit(from, to, plane, table, channels, size, 1);
        } else {
            normalize_unit(from, to, plane, table, channels, size, 0);
        }
    }
}

#define NORMALIZE(channels, size)                                                                               \
    KERNEL normalize_##channels##_##size(const unsigned char *__restrict__ in, unsigned char *__restrict__ out, \
                                         const spool_normalize p)                                               \
    {                                                                                                           \
        normalize(in, out, &p, channels, size);                                                                 \
    }
NORMALIZE(1, 2)
NORMALIZE(1, 4)
NORMALIZE(3, 2)
NORMALIZE(3, 4)
NORMALIZE(4, 2)
NORMALIZE(4, 4)
