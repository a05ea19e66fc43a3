/*
 * Converts images of interleaved bytes to planes of floats, optionally mirrored or flipped vertically.
 *
 * A unit is as many pixels as fill SPOOL_UNIT bytes of a plane, so that a warp stores whole cache lines. A thread loads
 * words of as many bytes as a unit has pixels; the rest of a line comes from the cache with the next word. If sizes or
 * addresses do not allow units, it converts pixels one by one. Neighbors in a warp convert neighbors in the image.
 */
#include "elements.h"

/* Loads a word of as many bytes as a unit has pixels. */
INLINE unsigned long long load_word(const unsigned char *from, const int bytes)
{
    return bytes == 8 ? *(const unsigned long long *)from : *(const unsigned int *)from;
}

/* Reverses the elements of a unit. */
INLINE void mirror(unsigned int *unit, const int size)
{
    const unsigned int all[SPOOL_UNIT / 4] = {unit[3], unit[2], unit[1], unit[0]};

#pragma unroll
    for (int i = 0; i < SPOOL_UNIT / 4; i++)
        unit[i] = size == 2 ? all[i] << 16 | all[i] >> 16 : all[i];
}

INLINE void normalize_unit(const unsigned long long *words, unsigned char *out, size_t plane, const spool_normalize *p,
                           unsigned int flips, const int channels, const int type)
{
    const int size = size_of(type), pixels = SPOOL_UNIT / size;

#pragma unroll
    for (int c = 0; c < channels; c++) {
        unsigned int unit[SPOOL_UNIT / 4] = {0, 0, 0, 0};
#pragma unroll
        for (int i = 0; i < pixels; i++) {
            const int at = i * channels + c;
            const unsigned int byte = (unsigned int)(words[at / pixels] >> 8 * (at % pixels)) & 255;
            put(unit, i, size, element(byte, &p->scale, c, type));
        }
        if (flips & SPOOL_FLIP_COLUMNS)
            mirror(unit, size);
        store_unit(out + c * plane, unit_of(unit));
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
                      const int channels, const int type)
{
    const int size = size_of(type), unit = SPOOL_UNIT / size;
    const unsigned int sample = blockIdx.y, flips = p->flips[sample / 16] >> 2 * (sample % 16) & 3;
    const unsigned int pixels = p->width * p->height;
    const size_t plane = (size_t)pixels * size;

    in += (size_t)sample * pixels * channels;
    out += sample * plane * channels;
    if (p->wide) {
        const unsigned int i = blockIdx.x * SPOOL_THREADS + threadIdx.x;
        unsigned long long words[4];

        if (i >= pixels / unit)
            return;
        const unsigned char *from =
            in + (size_t)(flips ? flipped(i, p->width / unit, p->height, flips) : i) * (unit * channels);
#pragma unroll
        for (int c = 0; c < channels; c++)
            words[c] = load_word(from + c * unit, unit);
        normalize_unit(words, out + (size_t)i * SPOOL_UNIT, plane, p, flips, channels, type);
        return;
    }
    const unsigned int first = blockIdx.x * SPOOL_PIXELS * SPOOL_THREADS + threadIdx.x;
    if (!p->scale.exact) {
#pragma unroll 1
        for (int k = 0; k < SPOOL_PIXELS && first + k * SPOOL_THREADS < pixels; k++) {
            const unsigned int i = first + k * SPOOL_THREADS;
            const unsigned char *from = in + (size_t)(flips ? flipped(i, p->width, p->height, flips) : i) * channels;
#pragma unroll
            for (int c = 0; c < channels; c++)
                store_element(out + c * plane + (size_t)i * size, size, divided(from[c], &p->scale, c, type));
        }
        return;
    }
    unsigned int bytes[SPOOL_PIXELS][4];
#pragma unroll
    for (int k = 0; k < SPOOL_PIXELS; k++) {
        const unsigned int i = first + k * SPOOL_THREADS;
        if (i >= pixels)
            break;
        const unsigned char *from = in + (size_t)(flips ? flipped(i, p->width, p->height, flips) : i) * channels;
#pragma unroll
        for (int c = 0; c < channels; c++)
            bytes[k][c] = from[c];
    }
#pragma unroll
    for (int k = 0; k < SPOOL_PIXELS; k++) {
        const unsigned int i = first + k * SPOOL_THREADS;
        if (i >= pixels)
            return;
#pragma unroll
        for (int c = 0; c < channels; c++)
            store_element(out + c * plane + (size_t)i * size, size, element(bytes[k][c], &p->scale, c, type));
    }
}

#define NORMALIZE(channels, type)                                                                               \
    KERNEL normalize_##channels##_##type(const unsigned char *__restrict__ in, unsigned char *__restrict__ out, \
                                         const spool_normalize p)                                               \
    {                                                                                                           \
        normalize(in, out, &p, channels, type);                                                                 \
    }
NORMALIZE(1, 0)
NORMALIZE(1, 1)
NORMALIZE(1, 2)
NORMALIZE(3, 0)
NORMALIZE(3, 1)
NORMALIZE(3, 2)
NORMALIZE(4, 0)
NORMALIZE(4, 1)
NORMALIZE(4, 2)
