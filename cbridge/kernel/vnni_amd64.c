/*
 * The kernels for AVX-512 with VNNI, which multiplies and adds in one instruction. Vectors have 32 bytes, which windows
 * fill.
 */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,avx512f,avx512bw,avx512vl,avx512vnni"))), apply_to = function)
#else
#pragma GCC target("avx2,avx512f,avx512bw,avx512vl,avx512vnni")
#endif

#include "vector_avx2.h"

#define VEC_KERNELS spool_kernels_vnni
#define VEC_NAME "avx512-vnni"

INLINE vec vec_add_dot(vec sum, vec a, vec b)
{
    sum = _mm256_dpwssd_epi32(sum, a, b);
    KEEP(sum);
    return sum;
}

#include "kernels_simd.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
