/* The inverse DCT for AVX2. */
#include "target_avx2.h"

#define IDCT spool_baseline_idct_avx2
#include "idct_ymm.h"

INLINE vec dot(vec s, vec x, vec y)
{
    return _mm256_add_epi32(s, _mm256_madd_epi16(x, y));
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
