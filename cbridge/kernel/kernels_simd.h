/* The kernels in terms of vectors (vector.h). Each instruction set's file includes this one source. */

#define VEC_BYTES (16 * VEC_LANES)
#define VEC_GROUPS (SPOOL_GROUP / VEC_LANES) /* vectors that hold a lane of each row of a group */

/* Indices of vec_shuffle: two bytes, side by side and widened to 16 bits. NONE gives 0. */
#define NONE 0x80
#define PAIR(a, b) a, NONE, b, NONE

/* Converts four vectors of 32-bit sums to bytes. */
INLINE vec vec_scale(vec a, vec b, vec c, vec d, int precision)
{
    return vec_narrow16(vec_narrow32(vec_shift(a, precision), vec_shift(b, precision)),
                        vec_narrow32(vec_shift(c, precision), vec_shift(d, precision)));
}

INLINE vec vec_half(int precision)
{
    int32_t half = 1 << (precision - 1);
    return vec_repeat_word(&half);
}

#include "horizontal_simd.h"
#include "vertical_simd.h"
#include "pixels_simd.h"
#include "words.h"
#include "short_simd.h"

const spool_kernels VEC_KERNELS = {VEC_NAME,
                                   {horizontal, vertical, accumulate, finish, remap, gray, blend},
                                   WORD_KERNELS(horizontal_any_words, vertical_any_words),
                                   narrow};
