/* The code after this header is compiled for SSE4.1, up to `#pragma clang attribute pop` at the end of the file. */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("sse4.1"))), apply_to = function)
#else
#pragma GCC target("sse4.1")
#endif

#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))
