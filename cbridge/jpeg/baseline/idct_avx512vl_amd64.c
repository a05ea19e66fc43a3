/* The inverse DCT for AVX-512 with its 16-bit dot products, in vectors of 32 bytes. */
#include "target_avx512.h"

#define IDCT spool_baseline_idct_avx512vl
#include "idct_ymm.h"

INLINE vec dot(vec s, vec x, vec y)
{
    return _mm256_dpwssd_epi32(s, x, y);
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
