/*
 * The definitions that a file of kernels for one instruction set makes before it includes kernels_simd.h: a vector
 * `vec` of VEC_LANES lanes of 16 bytes, and these operations, each within its lane.
 *
 *   vec_zero                 all bits clear
 *   vec_load, vec_store      a whole vector of consecutive bytes
 *   vec_load_lanes(p, at)    16 bytes from each of p[0] + at .. p[VEC_LANES - 1] + at
 *   vec_store_lanes          stores 16 bytes at each of these
 *   vec_load_bytes           8 bytes from each, widened to 16 bits
 *   vec_store_word           the first 4 bytes of each lane
 *   vec_repeat_lane(p)       16 bytes, the same in each lane
 *   vec_repeat_word(p)       4 bytes, repeated
 *   vec_shuffle(v, index)    byte index[i] of the lane, 0 if index[i] has its high bit set
 *   vec_xor, vec_add         bits; 32-bit sums
 *   vec_shift(v, n)          32-bit arithmetic shift right; vec_shift_left
 *   vec_dot(a, b)            16-bit products, added in pairs to 32 bits
 *   vec_add_dot(sum, a, b)   sum + vec_dot(a, b), followed by KEEP: compilers may reorder sums, and gcc would keep
 *                            all products of a window and add them at the end, which needs more registers than exist
 *   vec_sum_neighbours(a, b) 32-bit sums of neighbors, those of a first
 *   vec_zip_low(a, b)        bytes of the low half of a lane, interleaved; vec_zip_high: of the high half
 *   vec_zip_words_low(a, b), vec_zip_words_high(a, b)  the same for 16-bit words
 *   vec_narrow32(a, b)       32 to 16 bits, signed saturation, a first
 *   vec_narrow16(a, b)       16 to 8 bits, unsigned saturation, a first
 */
#ifndef SPOOL_VECTOR_H
#define SPOOL_VECTOR_H

#include <string.h>

#include "kernels.h"

#define INLINE static inline __attribute__((always_inline))

#endif
