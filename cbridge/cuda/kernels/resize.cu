/*
 * One pass of a resize: along the rows or along the columns of an image of bytes. A thread computes one byte. Neighbors in
 * a warp read neighbors in the image.
 */
#include "elements.h"

KERNEL resize(const unsigned char *__restrict__ in, const int *__restrict__ taps, unsigned char *__restrict__ out,
              const spool_resize p)
{
    const unsigned int i = blockIdx.x * SPOOL_THREADS + threadIdx.x;

    if (i >= p.lines * p.out * p.inner)
        return;
    const unsigned int inner = i % p.inner, place = i / p.inner % p.out, line = i / p.inner / p.out;
    const int *tap = taps + (size_t)place * (p.stride + 2);
    const unsigned char *from = in + (size_t)line * p.line_pitch + (size_t)tap[0] * p.tap_pitch + inner;
    int sum = 1 << (p.precision - 1);

    for (int j = 0; j < tap[1]; j++)
        sum += tap[2 + j] * from[(size_t)j * p.tap_pitch];
    sum >>= p.precision;
    out[i] = (unsigned char)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
}
