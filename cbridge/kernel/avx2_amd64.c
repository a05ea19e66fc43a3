/* The kernels for AVX2. */
#include "target_avx2.h"

#include "vector_avx2.h"

#define VEC_KERNELS spool_kernels_avx2
#define VEC_NAME "avx2"

INLINE vec vec_add_dot(vec sum, vec a, vec b)
{
    sum = vec_add(sum, vec_dot(a, b));
    KEEP(sum);
    return sum;
}

#include "kernels_simd.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif
