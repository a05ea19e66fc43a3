/*
 * The code after this header is compiled for AVX-512 with VNNI and VBMI, up to `#pragma clang attribute pop` at the end
 * of the file.
 */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512bw,avx512vl,avx512vnni,avx512vbmi"))), apply_to = function)
#else
#pragma GCC target("avx512bw,avx512vl,avx512vnni,avx512vbmi")
#endif

#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))
