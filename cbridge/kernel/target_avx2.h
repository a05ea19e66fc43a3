/* The code after this header is compiled for AVX2, up to `#pragma clang attribute pop` at the end of the file. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))
